// Buttons that copy a text of the page: `data-copy="#part"`. They are hidden where nothing can be copied.

function offer() {
  if (!navigator.clipboard) return;
  document.querySelectorAll("button[data-copy][hidden]").forEach((button) => (button.hidden = false));
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
  button.textContent = "Copied";
});

document.addEventListener("shown", offer);
offer();
