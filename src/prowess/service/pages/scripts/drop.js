// A file that is chosen, or dropped anywhere on the page, is previewed without another click. The preview is updated when
// the user changes how the file is read.

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
  else form.requestSubmit(); // keeps the choices made for the previous file, because this may be a corrected version of it
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

// A changed drop-down refreshes the preview beside it. The drop-downs themselves stay, because one of them may be open,
// unless the choice changes the columns of the table.
let changed = false;
document.addEventListener("change", ({ target }) => {
  if (target.form !== form || target === field || !field.files.length) return;
  if (target.matches("[data-member]")) offerAnotherMember(target);
  changed = true;
  if (field.files[0].size > Number(form.dataset.liveSize)) return sayUpdate("Choose “Preview again” to see the effect.");
  form.requestSubmit(target.matches("[data-table]") ? undefined : document.getElementById("refresh"));
});

function offerAnotherMember(last) {
  if (!last.value || last.nextElementSibling) return;
  const number = last.parentElement.querySelectorAll("select").length + 1;
  const next = last.cloneNode(true);
  next.id = last.id.replace(/\d+$/, number);
  next.setAttribute("aria-label", last.getAttribute("aria-label").replace(/\d+$/, number));
  next.value = "";
  last.after(next);
}

function sayUpdate(text) {
  const update = document.getElementById("update");
  if (update) update.textContent = text;
}

document.addEventListener("shown", () => {
  if (!result()?.contains(document.activeElement)) return result()?.focus({ preventScroll: false });
  const first = document.querySelector("#seen .problem, #seen .sentences li")?.textContent;
  if (changed && first) sayUpdate(`Now: ${first}`);
  changed = false;
});
document.addEventListener("failed", () => showError("The file could not be sent: it changed after you chose it, or the service cannot be reached. Choose it again."));
