// Draws a product of two matrices cell by cell, as one would at the blackboard: the first cells slowly, with their sum
// written out, then faster and faster. All of it happens here: no cell asks the server.

const SLOW = 3;             // cells that are read
const READ = 1800;          // milliseconds for each of them
const FASTER = 0.82;        // each later cell takes this share of the time of the one before
const LEAST = 14;           // milliseconds

function cover(plot, colour) {
  const { xaxis, yaxis } = plot._fullLayout;
  const canvas = document.createElement("canvas");
  canvas.className = "ew-cover";
  Object.assign(canvas, { width: Math.ceil(xaxis._length), height: Math.ceil(yaxis._length) });
  Object.assign(canvas.style, { left: `${xaxis._offset}px`, top: `${yaxis._offset}px` });
  plot.append(canvas);
  const pen = canvas.getContext("2d");
  if (colour) {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  return { canvas, pen, xaxis, yaxis };
}

// The pixels of a rectangle of cells, rows and columns from first to last.
function box({ xaxis, yaxis }, [row, lastRow], [column, lastColumn]) {
  const x = [xaxis.l2p(column - 0.5), xaxis.l2p(lastColumn + 0.5)], y = [yaxis.l2p(row - 0.5), yaxis.l2p(lastRow + 0.5)];
  return [Math.min(...x), Math.min(...y), Math.abs(x[1] - x[0]), Math.abs(y[1] - y[0])];
}

function outline(layer, rows, columns, colour) {
  layer.pen.clearRect(0, 0, layer.canvas.width, layer.canvas.height);
  layer.pen.strokeStyle = colour;
  layer.pen.lineWidth = 2.5;
  layer.pen.strokeRect(...box(layer, rows, columns));
}

function button(parent, label, text, onclick) {
  const made = document.createElement("button");
  Object.assign(made, { className: "ew-play", type: "button", textContent: text, title: label, onclick });
  made.setAttribute("aria-label", label);
  parent.append(made);
  return made;
}

// host: the line of pictures; index: the panel of the product; sumOf: (row, column) -> its sum in words.
export function play(host, index, sumOf) {
  host.stopPlaying?.();
  const place = host.panels[index], [left, right] = host.shown.panels[index].figure.layout.meta.product_of;
  const { rows, columns } = host.shown.panels[index].figure.layout.meta;
  const { paper_bgcolor: _, plot_bgcolor: background, font } = place.plot._fullLayout;
  const result = cover(place.plot, background);
  const [first, second] = [left, right].map(panel => cover(host.panels[panel].plot, null));
  const wide = host.shown.panels[left].figure.layout.meta.columns.length;
  const ink = font.color, said = document.createElement("div");
  said.className = "ew-said";
  said.setAttribute("role", "status");
  place.figure.append(said);
  const bar = document.createElement("span");
  place.bar.after(bar);
  let at = 0, timer = null, pause = READ;

  function step() {
    if (at >= rows.length * columns.length) return stop();
    const row = Math.floor(at / columns.length), column = at % columns.length;
    result.pen.clearRect(...box(result, [row, row], [column, column]));
    outline(first, [row, row], [0, wide - 1], ink);
    outline(second, [0, wide - 1], [column, column], ink);
    if (pause > 120) said.textContent = sumOf(row, column);
    at += 1;
    pause = at <= SLOW ? READ : Math.max(LEAST, pause * FASTER);
    timer = setTimeout(step, pause);
  }
  function stop() {
    clearTimeout(timer);
    for (const layer of [result, first, second]) layer.canvas.remove();
    said.remove();
    bar.remove();
    delete host.stopPlaying;
    delete host.dataset.playing;
  }
  const hold = button(bar, "Pause", "❚❚", () => {
    const held = timer === null;
    clearTimeout(timer);
    timer = null;
    hold.textContent = held ? "❚❚" : "▶";
    hold.setAttribute("aria-label", held ? "Pause" : "Go on");
    if (held) step();
  });
  button(bar, "Skip to the end", "▶▏", stop);
  host.stopPlaying = stop;
  host.dataset.playing = index;
  step();
}
