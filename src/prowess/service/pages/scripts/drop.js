// A file that is dropped anywhere on the page, or chosen, is previewed without another click.

const form = document.getElementById("import");
const area = document.getElementById("drop");
const field = document.getElementById("file");
const result = () => document.getElementById("result");

document.documentElement.classList.add("scripted");

function showError(text) {
  const message = document.createElement("p");
  message.className = "problem";
  message.setAttribute("role", "alert");
  message.textContent = text;
  result().replaceChildren(message);
}

field.addEventListener("change", () => {
  const limit = Number(form.dataset.limit);
  if (!field.files.length) return result().replaceChildren();
  if (limit && field.files[0].size + 10000 > limit) showError(`This file is too large: at most ${Math.floor(limit / 2 ** 20)} MiB can be imported.`);
  else form.requestSubmit(); // keeps the choices made for the previous file: this may be the same one, corrected
});

if (field.files.length && !result().childElementCount) field.dispatchEvent(new Event("change")); // chosen before this script ran

let over = 0; // a counter, because an element is entered before the previous one is left
const files = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragenter", (event) => files(event) && area.classList.toggle("over", ++over > 0));
addEventListener("dragleave", (event) => files(event) && area.classList.toggle("over", --over > 0));
addEventListener("dragover", (event) => files(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (!files(event)) return;
  event.preventDefault();
  over = 0;
  area.classList.remove("over");
  const first = new DataTransfer();
  first.items.add(event.dataTransfer.files[0]);
  field.files = first.files;
  field.dispatchEvent(new Event("change"));
});

document.addEventListener("shown", () => result()?.focus({ preventScroll: false }));
document.addEventListener("failed", () => showError("The file could not be sent: it changed after you chose it, or the service cannot be reached. Choose it again."));
