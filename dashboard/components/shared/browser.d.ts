// Types for the checks of the scripts (jsconfig.json): what they add to the window, and the part of Plotly they use.

interface PlotTrace {
  type: string;
  name?: string;
  [attribute: string]: any;
}

interface PlotPoint {
  x: number;
  y: number;
  z?: number;
  customdata?: number;
  data: PlotTrace;
}

interface PlotMouseEvent {
  points: PlotPoint[];
  event: MouseEvent;
}

interface PlotAxis {
  range?: number[];
  tickvals?: number[];
  ticktext?: string[];
  tickangle?: number;
  [attribute: string]: any;
}

interface PlotLayout {
  height: number;
  margin: { l: number; r: number; t: number; b: number };
  xaxis?: PlotAxis;
  yaxis?: PlotAxis;
  plot_bgcolor?: string;
  [attribute: string]: any;
}

/**
 * A div as Plotly extends it. Its layouts hold the ranges of the axes as they are zoomed, the full one while a drag goes on.
 * `_fullData` and `_fullLayout` are the figure with all defaults filled in, `_hoverdata` is what is under the mouse.
 */
interface PlotElement extends HTMLDivElement {
  data: PlotTrace[];
  layout: PlotLayout;
  calcdata: object[][];
  _fullData: PlotTrace[];
  _fullLayout: PlotLayout;
  _dragging?: boolean;
  _hoverdata?: PlotPoint[];
  on(event: string, listener: (event: PlotMouseEvent) => void): void;
  removeAllListeners?(event: string): void;
}

/** A place of the window in `target`; `xval` and `yval`, the cell in the units of the axes, go first. */
interface PlotHover {
  clientX: number;
  clientY: number;
  target: Element;
  xval: number;
  yval: number;
}

interface Plotly {
  Fx: {
    hover(element: HTMLElement, event: PlotHover, subplot: string): void;
    unhover(element: HTMLElement): void;
  };
  react(element: HTMLElement, data: PlotTrace[], layout: PlotLayout, config: object): Promise<PlotElement>;
  relayout(element: HTMLElement, changes: object): Promise<PlotElement>;
  purge(element: HTMLElement): void;
  toImage(figure: { data: PlotTrace[]; layout: PlotLayout }, options: object): Promise<string>;
}

interface Navigator {
  userActivation?: { isActive: boolean };
}

interface Window {
  Plotly?: Plotly;
  encoderWalkthroughPlotly?: Promise<Plotly>;
  encoderWalkthroughAddress?: { session: string | null; step: number; fragment?: boolean; pathname?: string, asksBelow?: boolean; hidesFigureOf?: string | null; watched?: HTMLElement; listens?: boolean; hasAnswers?: string };
}
