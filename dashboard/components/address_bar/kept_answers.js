// The answers to the questions of the pages, which this browser keeps for a day: a new session of the app, after a reload,
// in another tab or of another process of the server, begins with them.
// @ts-check

/**
 * What dashboard/state/kept_answers.py sends: `time` is ISO 8601 in UTC, so that the order of texts is that of times.
 * @typedef {{ time: string, [field: string]: unknown }} Answer
 */

const NAME = "encoder-walkthrough-answers";
const DAY = 86_400_000;  // milliseconds

/**
 * The answers of the last day, the oldest first; none where the browser keeps nothing.
 * @returns {Answer[]}
 */
export function keptAnswers() {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return kept.filter((/** @type {Answer} */ { time }) => Date.now() - Date.parse(time) < DAY);
  } catch {
    return [];  // storage is forbidden, or somebody else has written to it
  }
}

/** @type {(answers: Answer[]) => number} */
const sizeOf = answers => new Blob([JSON.stringify(answers)]).size;

/**
 * Keep more answers, without those that are older than `cleared`.
 * @param {Answer[]} answers
 * @param {number} most  bytes; the oldest answers that are beyond are dropped
 * @param {string} cleared
 */
export function keepAnswers(answers, most, cleared) {
  /** @type {Map<string, Answer>} */
  const byText = new Map();
  for (const answer of [...keptAnswers(), ...answers])
    if (answer.time > cleared) byText.set(JSON.stringify(answer), answer);
  const kept = [...byText.values()].sort((a, b) => (a.time < b.time ? -1 : 1));
  while (answers.length && sizeOf(kept) > most) kept.shift();
  try {
    localStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // Then the answers are those of the session alone.
  }
}
