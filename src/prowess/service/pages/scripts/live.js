// Pages that answer at once: forms and links marked `data-live="#part …"` are asked for in the background, and of
// the answer only those parts are put in the place of the old ones. Without this script they are forms and links.

const WAIT = 250; // milliseconds after the last letter

const here = () => location.pathname + location.search;

let latest = 0;
let shown = here(); // whose content is seen

async function show(url, parts, { body, keep = "push" } = {}) {
  const mine = ++latest;
  const places = document.querySelectorAll(parts);
  places.forEach((place) => place.classList.add("busy"));
  try {
    const answer = await fetch(url, { method: body ? "POST" : "GET", body, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== latest) return; // another was asked for since
    if (answer.redirected && body) return location.assign(answer.url);
    const fresh = [...places].map((place) => place.id && page.getElementById(place.id));
    if (fresh.some((one) => !one)) return body ? replaceAll(page) : location.assign(url);
    places.forEach((place, at) => replace(place, fresh[at]));
    if (!body && keep) history[`${keep}State`](null, "", url);
    shown = here();
    document.dispatchEvent(new CustomEvent("shown"));
  } catch {
    if (body) return document.dispatchEvent(new CustomEvent("failed")); // what was filled in is kept
    location.assign(url); // the browser says it better
  } finally {
    document.querySelectorAll(".busy").forEach((place) => place.classList.remove("busy"));
  }
}

function replace(place, fresh) {
  const held = place.contains(document.activeElement) && document.activeElement.id;
  place.replaceWith(fresh);
  if (held) document.getElementById(held)?.focus();
}

function replaceAll(page) {
  document.title = page.title;
  document.getElementById("main").replaceWith(page.getElementById("main"));
  document.dispatchEvent(new CustomEvent("shown"));
}

function address(form, submitter) {
  const said = [...new FormData(form, submitter)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(said).toString();
  return form.action.replace(/[?#].*/, "") + (query && `?${query}`);
}

const isGet = (form) => form.method.toLowerCase() === "get";

let waiting;
document.addEventListener("input", ({ target }) => {
  const form = target.closest("form[data-live]");
  if (!form || !isGet(form) || form.hasAttribute("data-on-submit")) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => show(address(form), form.dataset.live, { keep: "replace" }), WAIT);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form || event.submitter?.hasAttribute("data-whole")) return;
  event.preventDefault();
  clearTimeout(waiting);
  const body = isGet(form) ? undefined : new FormData(form, event.submitter);
  const place = event.submitter?.hasAttribute("formaction") ? event.submitter.formAction : form.action;
  show(isGet(form) ? address(form, event.submitter) : place, form.dataset.live, { body });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-live], [data-live-links] a");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  show(link.href, link.dataset.live ?? link.closest("[data-live-links]").dataset.liveLinks);
});

addEventListener("popstate", () => here() === shown || location.reload()); // a jump within the page is no other page

// what is not done yet is looked at again
function refresh() {
  const place = document.querySelector("[data-refresh]");
  if (place) setTimeout(() => show(location.href, `#${place.id}`, { keep: null }), 1000 * place.dataset.refresh);
}
document.addEventListener("shown", refresh);
refresh();
