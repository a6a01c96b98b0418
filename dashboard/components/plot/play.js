// Draws a product of two matrices cell by cell, as one would at the blackboard: the first cells slowly, with their sum
// written out, then faster and faster. All of it happens here: no cell asks the server.

const SLOW = 3;             // cells that are read
const READ = 1800;          // milliseconds for each of them
const FASTER = 0.82;        // each later cell takes this share of the time of the one before
const LEAST = 14;           // milliseconds
const SPOKEN = 120;         // a caption that stays shorter is not read aloud

// A canvas over the cells of a panel.
function cover({ plot, area }, colour) {
  const canvas = document.createElement("canvas");
  canvas.className = "ew-cover";
  Object.assign(canvas, { width: Math.ceil(area.width), height: Math.ceil(area.height) });
  Object.assign(canvas.style, { left: `${area.left}px`, top: `${area.top}px` });
  plot.append(canvas);
  const pen = canvas.getContext("2d");
  if (colour) {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  // As zoomed now: Plotly keeps the ranges in the figure's own layout.
  return { canvas, pen, area, x: plot.layout.xaxis.range, y: plot.layout.yaxis.range };
}

// The pixels of a rectangle of cells, rows and columns from first to last.
function box({ area, x, y }, [row, lastRow], [column, lastColumn]) {
  const along = (value, [from, to], pixels) => (value - from) / (to - from) * pixels;
  const across = [column - 0.5, lastColumn + 0.5].map(value => along(value, x, area.width));
  const down = [row - 0.5, lastRow + 0.5].map(value => along(value, [y[1], y[0]], area.height));
  return [Math.min(...across), Math.min(...down), Math.abs(across[1] - across[0]), Math.abs(down[1] - down[0])];
}

function outline(layer, rows, columns, colour) {
  layer.pen.clearRect(0, 0, layer.canvas.width, layer.canvas.height);
  layer.pen.strokeStyle = colour;
  layer.pen.lineWidth = 2.5;
  layer.pen.strokeRect(...box(layer, rows, columns));
}

// host: the line of panels, whose `player` has the buttons and the caption; index: the panel of the product;
// describe: (row, column) -> the cell in words. A second call pauses, a third goes on.
export function play(host, index, describe) {
  if (host.playing) return host.playing.toggle();
  const { panel } = host.shown.panels[index], { hold, skip, caption } = host.player;
  const idle = caption.textContent, counts = [panel.rows.names.length, panel.columns.names.length];
  const result = cover(host.panels[index], panel.layout.plot_bgcolor);
  const [first, second] = [panel.product.left, panel.product.right].map(place => cover(host.panels[place], null));
  const terms = host.shown.panels[panel.product.left].panel.columns.names.length;
  const ink = getComputedStyle(caption).color;
  let at = 0, timer = null, pause = READ;

  function say(label, sign) {
    hold.textContent = sign;
    hold.title = label;
    hold.setAttribute("aria-label", label);
  }
  function step() {
    if (at >= counts[0] * counts[1]) return stop();
    const row = Math.floor(at / counts[1]), column = at % counts[1];
    result.pen.clearRect(...box(result, [row, row], [column, column]));
    outline(first, [row, row], [0, terms - 1], ink);
    outline(second, [0, terms - 1], [column, column], ink);
    caption.setAttribute("aria-live", pause > SPOKEN ? "polite" : "off");
    caption.textContent = describe(row, column);
    at += 1;
    pause = at <= SLOW ? READ : Math.max(LEAST, pause * FASTER);
    timer = setTimeout(step, pause);
  }
  function stop() {
    clearTimeout(timer);
    for (const layer of [result, first, second]) layer.canvas.remove();
    delete host.playing;
    say(idle, "▶");
    caption.textContent = idle;
    skip.disabled = true;
  }
  function toggle() {
    const held = timer === null;
    clearTimeout(timer);
    timer = null;
    say(held ? "Pause" : "Go on", held ? "❚❚" : "▶");
    if (held) step();
  }
  host.playing = { stop, toggle };
  skip.onclick = stop;
  skip.disabled = false;
  say("Pause", "❚❚");
  step();
}
