// Fields that complete the names of players. `data-names` holds the address that is asked, as in
// <textarea data-names="/leagues/darts/names.json">; of a textarea, the line is completed in which one writes.
// Arrows choose, Enter takes, Escape closes; without this script names are written out.

const WAIT = 120; // milliseconds after the last letter
const list = Object.assign(document.createElement("ul"), { id: "names", className: "names" });
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Names of this league");
const said = Object.assign(document.createElement("p"), { className: "unseen" });
said.setAttribute("role", "status");

let field = null; // whose names are shown
let chosen = -1;
let waiting;
let latest = 0;

function line(of) {
  const text = of.value;
  const at = of.selectionStart ?? text.length;
  const first = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  return [first, end < 0 ? text.length : end];
}

const typed = (of) => of.value.slice(...line(of)).trim();

async function look(of) {
  const mine = ++latest;
  const search = typed(of);
  if (!search) return close();
  try {
    const answer = await fetch(`${of.dataset.names}?${new URLSearchParams({ search })}`);
    const { names } = await answer.json();
    if (mine !== latest || document.activeElement !== of || !names) return undefined;
    const others = names.filter((name) => name !== search).slice(0, 8);
    return others.length ? open(of, others) : close();
  } catch {
    return close(); // then she writes it herself
  }
}

function open(of, names) {
  field = of;
  choose(-1);
  list.replaceChildren(...names.map(option));
  const box = of.getBoundingClientRect();
  Object.assign(list.style, { top: `${box.bottom + scrollY}px`, left: `${box.left + scrollX}px`, width: `${box.width}px` });
  (document.getElementById("main") ?? document.body).append(list, said);
  of.setAttribute("aria-controls", list.id);
  said.textContent = `${names.length} ${names.length === 1 ? "name" : "names"}, choose with the arrow keys`;
}

function option(name, at) {
  const one = Object.assign(document.createElement("li"), { id: `name-${at}`, textContent: name });
  one.setAttribute("role", "option");
  one.setAttribute("aria-selected", "false");
  return one;
}

function close() {
  latest += 1;
  clearTimeout(waiting);
  choose(-1);
  field?.removeAttribute("aria-controls");
  field = null;
  list.remove();
}

function choose(at) {
  list.children[chosen]?.setAttribute("aria-selected", "false");
  chosen = at;
  const one = list.children[at];
  one?.setAttribute("aria-selected", "true");
  one?.scrollIntoView({ block: "nearest" });
  if (one) field.setAttribute("aria-activedescendant", one.id);
  else field?.removeAttribute("aria-activedescendant");
}

function take(name) {
  const of = field;
  close();
  of.setRangeText(name, ...line(of), "end");
  of.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "taken" })); // for what follows the field
  of.focus();
}

document.addEventListener("input", (event) => {
  const of = event.target.closest?.("[data-names]");
  if (!of || event.detail === "taken") return;
  of.setAttribute("autocomplete", "off");
  of.setAttribute("aria-autocomplete", "list");
  clearTimeout(waiting);
  waiting = setTimeout(look, WAIT, of);
});

document.addEventListener("keydown", (event) => {
  if (!field || event.target !== field || event.isComposing) return;
  const count = list.children.length;
  if (event.key === "ArrowDown") choose((chosen + 1) % count);
  else if (event.key === "ArrowUp") choose((Math.max(chosen, 0) + count - 1) % count);
  else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen].textContent);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
});

list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
list.addEventListener("click", (event) => {
  const one = event.target.closest("li");
  if (one && field) take(one.textContent);
});
document.addEventListener("focusout", ({ target }) => target === field && close());
