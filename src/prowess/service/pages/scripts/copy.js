// Buttons with `data-copy="#part"` copy the text of a part of the page. They are hidden if the browser cannot copy.

function showButtons() {
  if (!navigator.clipboard) return;
  document.querySelectorAll("button[data-copy][hidden]").forEach((button) => (button.hidden = false));
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
  button.textContent = "Copied";
});

document.addEventListener("shown", showButtons);
showButtons();
