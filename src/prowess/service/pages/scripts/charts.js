// Interactive charts: when a chart comes into view, Vega draws its specification in place of the picture, which stays
// if anything fails.

const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 40rem)");
const OPTIONS = {
  ast: true, // interpret expressions: the content security policy forbids generated code
  renderer: "svg",
  actions: false,
  logLevel: 1, // errors only
  defaultStyle: false, // styles are in our own stylesheet
  tooltip: { disableDefaultStyle: true },
};

let vega;
const load = (src) => (vega ??= pageLoaded().then(() => loadScript(src)));

// The page must not wait for Vega, so it is loaded last.
async function pageLoaded() {
  if (document.readyState === "complete") return;
  await new Promise((resolve) => addEventListener("load", resolve, { once: true }));
}

function loadScript(src) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
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
  const response = await fetch(url);
  if (!response.ok) throw new Error(response.statusText);
  const spec = await response.json();
  if (!hasPanels(spec)) spec.width = spec.height = "container";
  spec.description = figure.querySelector("img").alt;
  return spec;
}

const hasPanels = (spec) => "concat" in spec || "hconcat" in spec || "vconcat" in spec || "facet" in spec;

function addPlot(figure) {
  const plot = document.createElement("div");
  const { height, small } = figure.dataset;
  plot.className = "plot unfinished";
  plot.style.aspectRatio = narrow.matches ? `328 / ${small}` : `1056 / ${height}`;
  figure.append(plot);
  return plot;
}

const drawings = new WeakMap(); // the variant in which each figure was drawn, and its Vega view

async function draw(figure) {
  const drawing = { variant: `${dark.matches} ${narrow.matches}` };
  const previous = drawings.get(figure);
  if (previous?.variant === drawing.variant) return;
  drawings.set(figure, drawing);
  let plot;
  try {
    const [spec] = await Promise.all([specification(figure), load(figure.dataset.vega)]);
    if (drawings.get(figure) !== drawing || !figure.isConnected) return; // replaced by a newer drawing
    plot = addPlot(figure);
    drawing.view = await globalThis.vegaEmbed(plot, spec, OPTIONS);
    if (hasPanels(spec)) fill(plot.querySelector("svg"));
  } catch (error) {
    console.warn("The chart stays a picture.", error);
    plot?.remove();
    return;
  }
  figure.querySelectorAll("picture, .plot").forEach((element) => (element.hidden = element !== plot));
  plot.classList.remove("unfinished");
  previous?.view?.finalize();
  figure.querySelectorAll(".plot[hidden]").forEach((element) => element.remove());
}

// Charts of several panels have fixed sizes, so they are scaled as a whole.
function fill(svg) {
  svg.setAttribute("preserveAspectRatio", "xMinYMin");
  svg.setAttribute("width", "100%");
  svg.setAttribute("height", "100%");
}

const observer = new IntersectionObserver(
  (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && draw(target)),
  { rootMargin: "200px" },
);

function watch() {
  observer.disconnect(); // so that charts in view are reported again
  document.querySelectorAll("figure[data-chart]").forEach((figure) => observer.observe(figure));
}

document.addEventListener("shown", watch);
dark.addEventListener("change", watch);
narrow.addEventListener("change", watch);
watch();
