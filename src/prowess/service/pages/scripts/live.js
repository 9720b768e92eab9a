// Live updates: forms and links with `data-live="#part …"` are fetched in the background, and only those parts of the
// page are replaced. Without this script they are plain forms and links.

const WAIT = 250; // milliseconds after the last key

const here = () => location.pathname + location.search;

let latest = 0;
let running; // stops the request that a newer one replaces
let shown = here(); // the URL of the content on the page

async function show(url, parts, { body, keep = "push" } = {}) {
  const request = ++latest;
  running?.abort();
  running = new AbortController();
  const places = document.querySelectorAll(parts);
  places.forEach((place) => place.classList.add("busy"));
  try {
    const response = await fetch(url, { method: body ? "POST" : "GET", body, signal: running.signal, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (request !== latest) return; // a newer request replaces this one
    if (response.redirected && body) return location.assign(response.url);
    const fresh = [...places].map((place) => place.id && page.getElementById(place.id));
    if (fresh.some((part) => !part)) return body ? replaceAll(page) : location.assign(url);
    places.forEach((place, index) => replace(place, fresh[index]));
    if (!body && keep) history[`${keep}State`](null, "", url);
    shown = here();
    document.dispatchEvent(new CustomEvent("shown"));
  } catch {
    if (request !== latest) return;
    if (body) return document.dispatchEvent(new CustomEvent("failed")); // keeps the input
    location.assign(url); // the browser has better error messages
  } finally {
    if (request === latest) document.querySelectorAll(".busy").forEach((place) => place.classList.remove("busy"));
  }
}

function replace(place, fresh) {
  const focused = place.contains(document.activeElement) && document.activeElement.id;
  place.replaceWith(fresh);
  if (focused) document.getElementById(focused)?.focus();
}

function replaceAll(page) {
  document.title = page.title;
  document.getElementById("main").replaceWith(page.getElementById("main"));
  document.dispatchEvent(new CustomEvent("shown"));
}

function address(form, submitter) {
  const fields = [...new FormData(form, submitter)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(fields).toString();
  return form.action.replace(/[?#].*/, "") + (query && `?${query}`);
}

const isGet = (form) => form.method.toLowerCase() === "get";

let timer;
document.addEventListener("input", ({ target }) => {
  const form = target.closest("form[data-live]");
  if (!form || !isGet(form) || form.hasAttribute("data-on-submit")) return;
  clearTimeout(timer);
  timer = setTimeout(() => show(address(form), form.dataset.live, { keep: "replace" }), WAIT);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form || event.submitter?.hasAttribute("data-whole")) return;
  event.preventDefault();
  clearTimeout(timer);
  const body = isGet(form) ? undefined : new FormData(form, event.submitter);
  const place = event.submitter?.hasAttribute("formaction") ? event.submitter.formAction : form.action;
  const parts = event.submitter?.dataset.live ?? form.dataset.live;
  show(isGet(form) ? address(form, event.submitter) : place, parts, { body });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-live], [data-live-links] a");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  show(link.href, link.dataset.live ?? link.closest("[data-live-links]").dataset.liveLinks);
});

addEventListener("popstate", () => here() === shown || location.reload()); // not for jumps within the page

// While a background job runs, the part of the page that shows it is refreshed.
function refresh() {
  const place = document.querySelector("[data-refresh]");
  if (place) setTimeout(() => show(location.href, `#${place.id}`, { keep: null }), 1000 * place.dataset.refresh);
}
document.addEventListener("shown", refresh);
refresh();
