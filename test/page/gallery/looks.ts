/** The content of a sheet, and the changes after looking at it. A view without an entry was not looked at. */
export interface Look {
  readonly shows: string;
  readonly changed: string;
}

const NOTHING = "nothing";

/** The looks of the sheets, by the names of their views. */
export const LOOKS: Readonly<Record<string, Look>> = {
  tasks: {
    shows: "a task that waits, one that failed and one that is done, with answers in their rows",
    changed:
      "on a phone the first task was below the middle: the controls are in two lines, and the heads of the columns in one that scrolls; a failure and what to do are two sentences; the controls have one height",
  },
  "task, outline": {
    shows: "turns and calls at a past event; on a phone the outline alone",
    changed: NOTHING,
  },
  "task, transcript": {
    shows: "the messages up to a past event",
    changed: "the header had `completed` beside the state of a past event: it says `now completed`",
  },
  "task, chart": { shows: "the six states, all in sight at each width", changed: NOTHING },
  "task, state": { shows: "both derivations of the state, usage, and counters", changed: NOTHING },
  "task, sequence": {
    shows: "who sent which event to whom",
    changed:
      "arrows and labels were outside of the pane below 1440 px: it scrolls sideways to the current arrow, and names scroll below the numbers",
  },
  "task, problems": { shows: "a failed request with links to its causes", changed: NOTHING },
  "task, why": { shows: "the guard that decided an event, with its values", changed: NOTHING },
  "task, raw": {
    shows: "a record as JSON",
    changed: "empty lists could be unfolded and showed nothing: they are `[]`",
  },
  "task, compare": {
    shows: "two tasks in aligned steps",
    changed:
      "a time with waits of 3 s was `without waits`: it is `without long waits`; the title in the field ran into its arrow; outcomes were there twice",
  },
  "waiting task": {
    shows: "a proposed change with its answers; on a phone below the transcript",
    changed: NOTHING,
  },
  "opened timeline": { shows: "all lanes of the timeline", changed: NOTHING },
  "why a task waits": { shows: "the opinions on a call, and a rule to try", changed: NOTHING },
  "parallel subtasks": {
    shows: "eight agents at once: a line and a lane for each, with the answers to three asks",
    changed:
      "a header that named one of three asks names all; two subtasks of a subtask shared a lane; a phone shows only the subtasks that need a person, until the others are unfolded",
  },
  suite: {
    shows: "the measures and runs of a control suite",
    changed: "the meaning of the columns pushed the runs out of a phone's first window: it unfolds",
  },
  verification: {
    shows: "the explored states on the chart, the transitions that nothing took, laws, and races",
    changed: "the choice of a state was 18 pixels high for a finger: it has 44",
  },
  help: { shows: "the keys, in two columns from 768 px", changed: NOTHING },
  breakpoints: {
    shows: "the panel beside the actions, which it does not cover from 768 px",
    changed: NOTHING,
  },
  share: { shows: "the dialog of a share file, with the number of masked places", changed: NOTHING },
  "opened files": {
    shows: "two tasks of a file, without actions",
    changed: "a touch screen was asked to drop a file: it is asked to open one",
  },
  counterexample: {
    shows: "what a law expects beside what came",
    changed: "its data had the title of the law twice",
  },
  "unknown task": {
    shows: "a link to all tasks, and why",
    changed:
      "the header had a cost of $0.00 for a task that is not there: it has none; the id is marked as one",
  },
  "damaged file": {
    shows: "why a file is no trace",
    changed: "the message ran over the whole screen: it is a column with a mark",
  },
  "lost connection": { shows: "the notice, and actions that wait", changed: NOTHING },
  "refused connection": { shows: "where the address with the token is", changed: "as for a damaged file" },
};
