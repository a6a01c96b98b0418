// In the HTML of each page, before Streamlit's scripts: in the first run, what the server sends after the first component
// waits until that component is on the page. Streamlit then has its script for components, and renders figures when they
// arrive. Otherwise it leaves a place for every element whose script it does not have, and renders all of them together
// when the last script is there: the heatmaps of a first visit came 0.2 s later, and with 150 ms latency 1.2 s.
//
// The element <script> says what a page with plots needs: data-loader, the address of load_plotly.js, and data-plotly, the
// name of Plotly's file.
// @ts-check

{
  const PATIENCE = 250; // milliseconds
  const Native = window.WebSocket;
  const { loader, plotly } = document.currentScript?.dataset ?? {};

  /** @param {unknown} data */
  const hasComponent = data =>
    data instanceof ArrayBuffer && new TextDecoder("latin1").decode(data).includes("encoder_walkthrough.");

  /** @param {WebSocket} socket  Streamlit's */
  const holdBack = socket => {
    /** @type {MessageEvent[]} */
    const held = [];
    let holds = false;
    /** @param {MessageEvent} event */
    const receive = event => {
      if (holds) {
        event.stopImmediatePropagation();
        held.push(event);
      } else if (hasComponent(event.data)) {
        holds = true;
        observer.observe(document, { childList: true, subtree: true });
        setTimeout(release, PATIENCE);
      }
    };
    const release = () => {
      observer.disconnect();
      socket.removeEventListener("message", receive);
      for (const { data, origin } of held.splice(0))
        socket.dispatchEvent(new MessageEvent("message", { data, origin }));
    };
    const observer = new MutationObserver(() => {
      if (document.querySelector("[data-testid=stBidiComponentRegular]")) release();
    });
    socket.addEventListener("message", receive);
  };

  window.WebSocket = class extends Native {
    /** @param {string | URL} url  @param {string | string[]} [protocols] */
    constructor(url, protocols) {
      super(url, protocols);
      if (!String(url).endsWith("/_stcore/stream")) return;
      window.WebSocket = Native;
      holdBack(this);
      // Until the server answers, the browser has nothing else to do.
      if (loader) import(new URL(loader, document.baseURI).href).then(({ loadPlotly }) => loadPlotly(plotly)).catch(() => {});
    }
  };
}
