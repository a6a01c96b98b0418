// Writes the query string of the session to the URL. The path belongs to Streamlit and does not change.
// @ts-check

import { unlessTakenBack } from "../shared/dom.js";
import { keepFocus } from "../shared/keep_focus.js";
import { repairPageMenu } from "../shared/page_menu.js";
import { scrollPickersToChosen } from "../shared/scrolled_lines.js";
import { watchClicks } from "./clicks.js";
import { keepAnswers, keptAnswers } from "./kept_answers.js";
import { arriveAtPage, leavePage, watchScrollPlace } from "./scroll_place.js";

/**
 * What dashboard/components/address_bar/__init__.py sends.
 * @typedef {object} AddressData
 * @property {string} session  identity of the session
 * @property {string} read  the query string that the session began with
 * @property {string} query  the query string of its current state
 * @property {number} step  counts the changes that the browser's back button undoes
 * @property {boolean} fragment  whether only a fragment of the page ran
 * @property {import("./kept_answers.js").Answer[]} [answers]  that the browser may not have yet
 * @property {number} [most]  how many bytes of answers it keeps
 * @property {string} [cleared]  when the session cleared all answers
 */

// The state of the tab; the component's element is replaced while the tab lives.
const tab = window.encoderWalkthroughAddress ??= { session: null, step: 0 };

const STAGE_LINKS = [
  ".st-key-rail a", ".st-key-back-and-on a", ".ew-diagram a:not([data-own-query])", "[data-testid=stTopNavLink]",
  "[data-testid=stSidebarNavLink]",
].join();

/**
 * Whether two query strings have the same parameters, however they are encoded.
 * @param {string} one
 * @param {string} other
 * @returns {boolean}
 */
export function isSameQuery(one, other) {
  return new URLSearchParams(one).toString() === new URLSearchParams(other).toString();
}

// Links to other pages have the same query string, for a user who copies them or opens them in another tab.
/** @type {(query: string) => void} */
function updateLinks(query) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll(STAGE_LINKS);
  for (const link of links) {
    const target = new URL(link.href);
    if (target.pathname === window.location.pathname) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (target.origin === window.location.origin && !isSameQuery(target.search, query)) {
      target.search = query;
      link.href = target.href;
    }
  }
}

// Run the page as after the browser's back button: Streamlit reads the URL, and tells the server the theme.
function runAgain() {
  window.dispatchEvent(new PopStateEvent("popstate", { state: window.history.state }));
}

/**
 * When the connection is back, let Streamlit read the URL as after the browser's back button. The server may be another
 * process, which does not know the session: without this, the next click would be lost, because it belongs to a fragment
 * that never ran there, and the next move of a slider would be undone when the session reads the URL.
 *
 * Streamlit asks for a run by itself if one was under way, or the last one was of a fragment. The new session then asks
 * for the URL (`restore`); a second run at the same time would leave sliders that disagree with it.
 */
function readUrlAfterReconnect() {
  /** @type {HTMLElement | null} */
  const app = document.querySelector("[data-testid=stApp]");
  if (!app || app === tab.watched) return;
  tab.watched = app;
  let isConnected = true, wasRunning = false;
  new MutationObserver(() => {
    const { testConnectionState, testScriptState } = app.dataset;
    const wasConnected = isConnected;
    isConnected = testConnectionState === "CONNECTED";
    if (wasConnected && !isConnected) wasRunning = testScriptState !== "notRunning";
    if (!wasConnected && isConnected && !wasRunning && !tab.fragment) runAgain();
  }).observe(app, { attributeFilter: ["data-test-connection-state"] });
}

// When the system changes between light and dark, Streamlit changes its own colours, but those of the figures come from
// the server. Its listener is older than this one, and has changed the theme by the next task.
function runAgainInOtherColours() {
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTimeout(runAgain));
}

// Where a button opens a page with other choices, Streamlit adds the query string of that page to the browser's history as
// an entry of the page before, and then the page itself. Back would need two steps, and show choices that nobody made.
function addOneEntryForPage() {
  window.history.pushState = (state, unused, url) => {
    if (new URL(url ?? "", window.location.href).pathname !== window.location.pathname) pushState(state, unused, url);
    leavePage(false);
  };
}

/** @type {typeof window.history.pushState} */
function pushState(...entry) {
  History.prototype.pushState.apply(window.history, entry);
}

// "Predict first" moves the question, whose switch may be below a tall figure, to above it.
function followQuestion() {
  const question = document.querySelector(".st-key-ask_first");
  if (question && tab.asksBelow && question.getBoundingClientRect().top < 0) question.scrollIntoView({ block: "center" });
  tab.asksBelow = !question;
}

// On a phone, the feedback and the figure that an answer shows are below the window. An answer that the browser has kept
// shows them as well, but nobody has just tapped then.
function followAnswer() {
  const feedback = document.querySelector(".st-key-figure_is_shown .stAlert"), page = window.location.pathname;
  const isNew = feedback && tab.hidesFigureOf === page && navigator.userActivation?.isActive;
  if (isNew && feedback.getBoundingClientRect().bottom > window.innerHeight) feedback.scrollIntoView({ block: "center" });
  tab.hidesFigureOf = document.querySelector(".st-key-figure_is_hidden") ? page : null;
}

/**
 * Write the query to the URL: as a new entry of the browser's history if `step` has increased, else in place. If a new
 * session began with another query string than that of the URL, send the URL's to the session instead.
 * @param {import("../shared/dom.js").Component<AddressData>} component
 */
function write({ data, setTriggerValue }) {
  const { session, read, query, step, fragment, answers = [], most = 0, cleared = "" } = data;
  if (answers.length || cleared) keepAnswers(answers, most, cleared);
  readUrlAfterReconnect();
  if (!tab.listens) {
    tab.listens = true;
    runAgainInOtherColours();
    watchClicks();
    watchScrollPlace();
    addOneEntryForPage();
  }
  keepFocus();
  repairPageMenu();
  scrollPickersToChosen();
  arriveAtPage();
  followQuestion();
  followAnswer();
  tab.fragment = fragment;
  const current = window.location.search.slice(1);
  if (session !== tab.session) {
    Object.assign(tab, { session, step });
    if (!isSameQuery(current, read)) {
      setTriggerValue("restore", current);
      return;
    }
  }
  const { pathname } = window.location, isNewStep = step > tab.step && pathname === tab.pathname;
  Object.assign(tab, { step, pathname });  // a page has an entry of its own already
  if (!isSameQuery(current, query)) {
    const url = pathname + (query ? `?${query}` : "") + window.location.hash;
    if (isNewStep) pushState(window.history.state, "", url);
    else window.history.replaceState(window.history.state, "", url);
  }
  updateLinks(query);
  if (session === tab.hasAnswers) return;
  tab.hasAnswers = session;
  const kept = keptAnswers();
  if (kept.length) setTriggerValue("answers", JSON.stringify(kept));
}

/** @param {import("../shared/dom.js").Component<AddressData>} component */
export default function (component) {
  return unlessTakenBack(() => write(component));
}
