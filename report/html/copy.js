document.querySelectorAll("button[data-copy]").forEach(function (b) {
  if (!navigator.clipboard) return;
  b.hidden = false;
  b.addEventListener("click", function () {
    navigator.clipboard.writeText(b.dataset.copy).then(function () { b.textContent = "copied"; });
  });
});
window.addEventListener("beforeprint", function () {
  document.querySelectorAll("details").forEach(function (d) { d.open = true; });
});
