(function () {
  const out = [];
  const slack = 1.5; // pixels: rounding, and the rims of letters
  const words = (e) => JSON.stringify((e.textContent || "").trim().replace(/\s+/g, " ").slice(0, 60));
  const what = (e) => "<" + e.tagName.toLowerCase() + (e.getAttribute("class") ? "." + e.getAttribute("class") : "") + ">";
  const style = (e) => getComputedStyle(e);
  const shown = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  // For screen readers only: clipped on purpose.
  const silent = (e) => e.closest && e.closest(".hidden, .skip") !== null;
  const scrolls = (e) => {
    for (; e && e !== document.body; e = e.parentElement) {
      if (/auto|scroll/.test(style(e).overflowX)) return true;
    }
    return false;
  };
  const root = document.scrollingElement;
  if (root.scrollWidth > innerWidth) {
    const wide = [...document.body.querySelectorAll("*")].filter((e) => shown(e) && !scrolls(e.parentElement) &&
      e.getBoundingClientRect().right + scrollX > innerWidth + slack).slice(0, 3).map((e) => what(e) + " " + words(e));
    out.push("overflow: the page is " + root.scrollWidth + " wide in a window of " + innerWidth + ": " + wide.join(", "));
  }

  for (const e of document.body.querySelectorAll("*")) {
    if (e.namespaceURI !== document.documentElement.namespaceURI || !shown(e) || silent(e)) continue;
    const s = style(e);
    const cutX = /hidden|clip/.test(s.overflowX) && e.scrollWidth > e.clientWidth + slack;
    const cutY = /hidden|clip/.test(s.overflowY) && e.scrollHeight > e.clientHeight + slack;
    if (cutX || cutY) out.push("clipped: " + what(e) + " " + words(e));
  }

  // Text that leaves the page, wherever it is not scrolled to.
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode()); ) {
    const e = n.parentElement;
    if (!n.data.trim() || /SCRIPT|STYLE/.test(e.tagName) || !shown(e) || silent(e) || scrolls(e)) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) {
      if (r.width > 0 && (r.left < -slack || r.right > innerWidth + slack)) {
        out.push("clipped: text leaves the page: " + words(n));
        break;
      }
    }
  }

  const cross = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;
  for (const svg of document.querySelectorAll("svg")) {
    if (!shown(svg)) continue;
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim());
    const rects = texts.map((t) => t.getBoundingClientRect());
    texts.forEach((t, i) => {
      const r = rects[i];
      if (r.left < box.left - slack || r.right > box.right + slack || r.top < box.top - slack || r.bottom > box.bottom + slack) {
        out.push("clipped: text leaves its drawing: " + words(t));
      }
      if (!svg.classList.contains("topology")) return;
      for (let k = 0; k < i; k++) {
        if (cross(r, rects[k])) out.push("overlap: " + words(texts[k]) + " and " + words(t));
      }
    });
  }

  if (matchMedia("print").matches) {
    for (const d of document.querySelectorAll("details")) {
      if ([...d.children].some((c) => c.tagName !== "SUMMARY" && !c.checkVisibility())) {
        out.push("print: not open: " + words(d.querySelector("summary")));
      }
    }
    for (const e of document.querySelectorAll("body, .scroll")) {
      if (style(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + slack) {
        out.push("print: cut: " + what(e) + " " + words(e));
      }
    }
  }
  return out;
})()
