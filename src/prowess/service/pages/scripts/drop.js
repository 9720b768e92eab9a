// A file is dropped anywhere on the page, or chosen, and looked at without another click.

const form = document.getElementById("import");
const area = document.getElementById("drop");
const field = document.getElementById("file");
const result = () => document.getElementById("result");

document.documentElement.classList.add("scripted");

function tell(text) {
  const said = document.createElement("p");
  said.className = "problem";
  said.setAttribute("role", "alert");
  said.textContent = text;
  result().replaceChildren(said);
}

field.addEventListener("change", () => {
  const limit = Number(form.dataset.limit);
  if (!field.files.length) return result().replaceChildren();
  if (limit && field.files[0].size + 10000 > limit) tell(`This file is too large: at most ${Math.floor(limit / 2 ** 20)} MiB can be imported.`);
  else form.requestSubmit(); // with what was chosen for the file before: this may be the same one, corrected
});

if (field.files.length && !result().childElementCount) field.dispatchEvent(new Event("change")); // chosen before this ran

let over = 0; // entering a part of the page comes before leaving the other
const files = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragenter", (event) => files(event) && area.classList.toggle("over", ++over > 0));
addEventListener("dragleave", (event) => files(event) && area.classList.toggle("over", --over > 0));
addEventListener("dragover", (event) => files(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (!files(event)) return;
  event.preventDefault();
  over = 0;
  area.classList.remove("over");
  const one = new DataTransfer();
  one.items.add(event.dataTransfer.files[0]);
  field.files = one.files;
  field.dispatchEvent(new Event("change"));
});

document.addEventListener("shown", () => result()?.focus({ preventScroll: false }));
document.addEventListener("failed", () => tell("The file could not be sent: it has changed since you chose it, or the service cannot be reached. Choose it again."));
