// The encoder as cards in a flow. Text goes in by textContent only; a thumbnail is a canvas of one pixel a cell.

const NARROW = 760;
const LEAST_ACROSS = 4;  // a group of fewer cards is not stretched to the full width
const LEVELS = 255;

function element(tag, className, parent) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  parent.append(made);
  return made;
}

// The colour of each level, by interpolation between the stops of the scale.
function palette(stops) {
  const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
  return Array.from({ length: LEVELS }, (_, level) => {
    const share = level / (LEVELS - 1);
    const upper = Math.max(1, stops.findIndex(([at]) => at >= share));
    const [[from, a], [to, b]] = [stops[upper - 1], stops[upper]];
    const mix = (share - from) / (to - from);
    const [low, high] = [rgb(a), rgb(b)];
    return low.map((channel, i) => Math.round(channel + mix * (high[i] - channel)));
  });
}

function draw(canvas, { rows, columns, levels }, colours, masked) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const grey = [1, 3, 5].map(at => parseInt(masked.slice(at, at + 2), 16));
  Array.from(atob(levels), char => char.charCodeAt(0)).forEach((level, i) => {
    image.data.set([...(level === LEVELS ? grey : colours[level]), 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

// A plain click opens the stage without loading the app anew; with a modifier key the browser opens a tab.
function openStage(event, component, stage) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  component.setTriggerValue("open", stage);
}

function addCard(card, place, scales, masked, component) {
  const link = element("a", "ew-card", place);
  link.href = new URL(card.stage, document.baseURI).href;
  link.onclick = event => openStage(event, component, card.stage);
  if (card.thumbnail) {
    const canvas = element("canvas", "", link);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${card.title}, ${card.shape}: a small heatmap of its values`);
    draw(canvas, card.thumbnail, scales[card.kind], masked);
  } else if (card.words.length) {
    const words = element("div", "ew-words", link);
    for (const word of card.words) element("span", "", words).textContent = word;
  } else {
    element("div", "ew-empty", link).textContent = "none";
  }
  const title = element("b", "", link);
  title.textContent = card.title;
  title.style.color = card.colour ?? "";
  element("small", "", link).textContent = card.shape;
  link.title = `Open stage ${card.number}`;
  return link;
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".ew-diagram");
  const scales = { signed: palette(data.scales.signed), weights: palette(data.scales.weights) };
  host.replaceChildren();
  for (const group of data.groups) {
    const place = element("div", group.label ? "ew-group ew-framed" : "ew-group", host);
    const across = Math.max(group.cards.length, LEAST_ACROSS);
    place.style.gridTemplateColumns = `repeat(${across}, minmax(0, 1fr))`;
    if (group.label) element("div", "ew-label", place).textContent = group.label;
    group.cards.forEach((card, i) => {
      const link = addCard(card, place, scales, data.masked, component);
      link.style.gridColumn = i + 1;
      link.classList.toggle("ew-last", i === group.cards.length - 1);
    });
    for (const [from, to] of group.bridges) {
      const bridge = element("div", "ew-bridge", place);
      bridge.style.gridColumn = `${from + 1} / ${to + 2}`;
      const share = 50 / (to - from + 1);  // it begins and ends in the middle of a card
      bridge.style.margin = `0 ${share}% 4px`;
      element("span", "", bridge).textContent = "residual";
    }
  }
  const adapt = () => {
    const narrow = host.clientWidth < NARROW;
    host.classList.toggle("ew-narrow", narrow);
    if (narrow) host.querySelectorAll(".ew-card").forEach(card => { card.style.gridColumn = ""; });
  };
  adapt();
  host.observer?.disconnect();
  host.observer = new ResizeObserver(adapt);
  host.observer.observe(host);
  return () => host.observer.disconnect();
}
