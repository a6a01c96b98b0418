// Figures that arrive on a websocket of their own, before Streamlit's messages; see dashboard/serving/early_figures.
// @ts-check

/**
 * What Streamlit's message says of a figure. `channel` is "" where the server has none: the figure is then there.
 * @template Figure
 * @typedef {{ key: string, channel: string, revision: number, figure: Figure | null }} Numbered
 */

const PATIENCE = 3000;  // milliseconds that a figure may be late before it is asked for
const TOGETHER = 50;    // milliseconds that a figure waits for the others of its run, at most
const MAX_FAILURES = 3;  // connections in a row that brought nothing

/** @typedef {{ figures: { key: string, revision: number, figure: any }[], isLast: boolean }} Batch */

/**
 * The channel of the tab: the latest figure of each plot by its key, and the plots that are on screen.
 * @type {{ token: string, socket: WebSocket | null, failures: number,
 *   figures: Map<string, { revision: number, figure: any }>, plots: Map<string, (figure: any) => void>,
 *   changed: Set<string>, timer: number }}
 */
const channel = { token: "", socket: null, failures: 0, figures: new Map(), plots: new Map(), changed: new Set(), timer: 0 };

/** @type {(key: string, revision: number, figure: any) => void} */
function keep(key, revision, figure) {
  if ((channel.figures.get(key)?.revision ?? 0) < revision) channel.figures.set(key, { revision, figure });
}

// A frame for each figure would take longer than one for all.
function showChanged() {
  window.clearTimeout(channel.timer);
  channel.timer = 0;
  for (const key of channel.changed) channel.plots.get(key)?.(channel.figures.get(key)?.figure);
  channel.changed.clear();
}

/** @type {(token: string) => void} */
function connect(token) {
  if (channel.token !== token) {  // the server has another session for this tab
    channel.socket?.close();
    Object.assign(channel, { token, socket: null, failures: 0 });
    channel.figures.clear();
    channel.changed.clear();
  }
  if (channel.socket || channel.failures >= MAX_FAILURES) return;
  const url = new URL(`early_figures/${token}`, document.baseURI);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = channel.socket = new WebSocket(url);
  socket.onclose = () => {
    if (channel.socket !== socket) return;
    channel.socket = null;  // the next message of Streamlit's opens another
    channel.failures += 1;
  };
  socket.onmessage = ({ data }) => {
    /** @type {Batch} */
    const { figures, isLast } = JSON.parse(data);
    channel.failures = 0;
    for (const { key, revision, figure } of figures) {
      keep(key, revision, figure);
      channel.changed.add(key);
    }
    if (isLast) showChanged();
    else channel.timer ||= window.setTimeout(showChanged, TOGETHER);
  };
}

/**
 * Show the figure of a plot now, and later ones when they arrive. Returns the function that ends it.
 * @template Figure
 * @param {Numbered<Figure>} numbered
 * @param {(figure: Figure) => void} show
 * @param {() => void} askForIt  asks the server for a figure that does not arrive
 * @returns {() => void}
 */
export function followFigure({ key, channel: token, revision, figure }, show, askForIt) {
  if (!token && figure) {
    show(figure);
    return () => {};
  }
  const patience = channel.socket ? PATIENCE : 0;
  connect(token);
  if (figure) keep(key, revision, figure);
  const hasArrived = () => (channel.figures.get(key)?.revision ?? 0) >= revision;
  channel.plots.set(key, show);
  if (hasArrived()) show(channel.figures.get(key)?.figure);
  const timer = hasArrived() ? 0 : window.setTimeout(() => { if (!hasArrived()) askForIt(); }, patience);
  return () => {
    window.clearTimeout(timer);
    if (channel.plots.get(key) === show) channel.plots.delete(key);
  };
}
