// Fields that complete names of players. `data-names` is the URL to query, as in
// <textarea data-names="/leagues/darts/names.json">; in a textarea, the current line is completed.
// Arrow keys choose, Enter accepts, Escape closes. Without this script, names are typed in full.

const WAIT = 120; // milliseconds after the last key
const list = Object.assign(document.createElement("ul"), { id: "names", className: "names" });
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Names of this league");
const status = Object.assign(document.createElement("p"), { className: "unseen" });
status.setAttribute("role", "status");

let field = null; // the field whose suggestions are shown
let chosen = -1;
let timer;
let latest = 0;

function line(of) {
  const text = of.value;
  const at = of.selectionStart ?? text.length;
  const first = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  return [first, end < 0 ? text.length : end];
}

const typed = (of) => of.value.slice(...line(of)).trim();

async function suggest(of) {
  const request = ++latest;
  const search = typed(of);
  if (!search) return close();
  try {
    const response = await fetch(`${of.dataset.names}?${new URLSearchParams({ search })}`);
    const { names } = await response.json();
    if (request !== latest || document.activeElement !== of || !names) return undefined;
    const others = names.filter((name) => name !== search).slice(0, 8);
    return others.length ? open(of, others) : close();
  } catch {
    return close(); // the user can type the name
  }
}

function open(of, names) {
  field = of;
  choose(-1);
  list.replaceChildren(...names.map(option));
  const box = of.getBoundingClientRect();
  Object.assign(list.style, { top: `${box.bottom + scrollY}px`, left: `${box.left + scrollX}px`, width: `${box.width}px` });
  (document.getElementById("main") ?? document.body).append(list, status);
  of.setAttribute("aria-controls", list.id);
  status.textContent = `${names.length} ${names.length === 1 ? "name" : "names"}, choose with the arrow keys`;
}

function option(name, at) {
  const item = Object.assign(document.createElement("li"), { id: `name-${at}`, textContent: name });
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  return item;
}

function close() {
  latest += 1;
  clearTimeout(timer);
  choose(-1);
  field?.removeAttribute("aria-controls");
  field = null;
  list.remove();
}

function choose(at) {
  list.children[chosen]?.setAttribute("aria-selected", "false");
  chosen = at;
  const item = list.children[at];
  item?.setAttribute("aria-selected", "true");
  item?.scrollIntoView({ block: "nearest" });
  if (item) field.setAttribute("aria-activedescendant", item.id);
  else field?.removeAttribute("aria-activedescendant");
}

function accept(name) {
  const of = field;
  close();
  of.setRangeText(name, ...line(of), "end");
  of.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "accepted" })); // for live updates
  of.focus();
}

document.addEventListener("input", (event) => {
  const of = event.target.closest?.("[data-names]");
  if (!of || event.detail === "accepted") return;
  of.setAttribute("autocomplete", "off");
  of.setAttribute("aria-autocomplete", "list");
  clearTimeout(timer);
  timer = setTimeout(suggest, WAIT, of);
});

document.addEventListener("keydown", (event) => {
  if (!field || event.target !== field || event.isComposing) return;
  const count = list.children.length;
  if (event.key === "ArrowDown") choose((chosen + 1) % count);
  else if (event.key === "ArrowUp") choose((Math.max(chosen, 0) + count - 1) % count);
  else if (event.key === "Enter" && chosen >= 0) accept(list.children[chosen].textContent);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
});

list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
list.addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item && field) accept(item.textContent);
});
document.addEventListener("focusout", ({ target }) => target === field && close());
