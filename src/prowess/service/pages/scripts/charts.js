// Charts that answer to the mouse: where one comes into view, Vega draws its specification in the room of the picture,
// which stays if anything fails.

const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 40rem)");
const OPTIONS = {
  ast: true, // expressions are walked through and not made into code, which the policy of the pages forbids
  renderer: "svg",
  actions: false,
  logLevel: 1, // errors alone
  defaultStyle: false, // styles stand in our own sheet
  tooltip: { disableDefaultStyle: true },
};

let vega;
const load = (src) => (vega ??= ready().then(() => fetched(src)));

// after all else of the page, which does not wait for it
async function ready() {
  if (document.readyState === "complete") return;
  await new Promise((done) => addEventListener("load", done, { once: true }));
}

function fetched(src) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.addEventListener("load", done);
    script.addEventListener("error", failed);
    script.src = src;
    document.head.append(script);
  });
}

async function specification(figure) {
  const { chart, height, small } = figure.dataset;
  const url = new URL(chart, location);
  url.searchParams.set("height", narrow.matches ? small : height);
  if (narrow.matches) url.searchParams.set("narrow", 1);
  if (dark.matches) url.searchParams.set("look", "dark");
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(answer.statusText);
  const spec = await answer.json();
  if (!isSeveral(spec)) spec.width = spec.height = "container";
  spec.description = figure.querySelector("img").alt;
  return spec;
}

const isSeveral = (spec) => "concat" in spec || "hconcat" in spec || "vconcat" in spec || "facet" in spec;

function place(figure) {
  const found = document.createElement("div");
  const { height, small } = figure.dataset;
  found.className = "plot unfinished";
  found.style.aspectRatio = narrow.matches ? `328 / ${small}` : `1056 / ${height}`;
  figure.append(found);
  return found;
}

const drawn = new WeakMap(); // which way each figure was drawn, and how to end it

async function draw(figure) {
  const mine = { way: `${dark.matches} ${narrow.matches}` };
  const before = drawn.get(figure);
  if (before?.way === mine.way) return;
  drawn.set(figure, mine);
  let plot;
  try {
    const [spec] = await Promise.all([specification(figure), load(figure.dataset.vega)]);
    if (drawn.get(figure) !== mine || !figure.isConnected) return; // another way by now
    plot = place(figure);
    mine.view = await globalThis.vegaEmbed(plot, spec, OPTIONS);
    if (isSeveral(spec)) fill(plot.querySelector("svg"));
  } catch (error) {
    console.warn("The chart stays a picture.", error);
    plot?.remove();
    return;
  }
  figure.querySelectorAll("picture, .plot").forEach((one) => (one.hidden = one !== plot));
  plot.classList.remove("unfinished");
  before?.view?.finalize();
  figure.querySelectorAll(".plot[hidden]").forEach((one) => one.remove());
}

// several panels have sizes of their own, and are made smaller or larger as a whole
function fill(svg) {
  svg.setAttribute("preserveAspectRatio", "xMinYMin");
  svg.setAttribute("width", "100%");
  svg.setAttribute("height", "100%");
}

const seen = new IntersectionObserver(
  (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && draw(target)),
  { rootMargin: "200px" },
);

function watch() {
  seen.disconnect(); // so that those in view are told anew
  document.querySelectorAll("figure[data-chart]").forEach((figure) => seen.observe(figure));
}

document.addEventListener("shown", watch);
dark.addEventListener("change", watch);
narrow.addEventListener("change", watch);
watch();
