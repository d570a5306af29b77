import { filter, firstValueFrom, startWith } from "rxjs";
import { dottedPath } from "../../machines/message/states.ts";
import type { Task } from "../../runtime/task/task.ts";
import { allowEverything, type Mode, type Policy } from "../../tools/index.ts";
import { Served, type ServedOptions } from "../server/support.ts";
import { completes, openedTask, scriptByMode, subtask } from "../support/subtasks.ts";

/** The modes of the subtasks: each has its own, by which the script knows it. */
const SLUGS = ["texts", "tests", "images", "notes", "links", "inner", "outer", "later"] as const;

const modes: readonly Mode[] = SLUGS.map((slug) => ({
  ...{ slug, name: slug, role: "You work." },
  permissions: [{ group: "read" }, { group: "edit" }, { group: "command" }],
}));

/** Longer than each test, in milliseconds and in seconds. */
const HOUR_MS = 3_600_000;
const HOUR = HOUR_MS / 1_000;
const TESTS = "npm test -- --coverage";
const SIX = [
  '{ text: "I start the six parts together." }',
  subtask("texts", "Rewrite the text of the start page."),
  subtask("tests", "Run the tests of the site."),
  subtask("images", "Make the images smaller."),
  subtask("notes", "Write the notes of the release."),
  subtask("links", "Check all links."),
  subtask("later", "Publish the site."),
];
const TWO = [
  subtask("inner", "Check the links between pages."),
  subtask("outer", "Check the links to other sites."),
];
const PAGE = '{ path: index.md, content: "# Welcome\\n\\nAll agents work at once.\\n" }';
const command = (line: string): string => `{ tool: execute_command, input: { command: "${line}" } }`;

/** The responses of a task, of its six subtasks, and of two below one of them. */
const SCRIPT = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All is up to date.") },
  { mode: "code", turn: `[${SIX.join(", ")}]` },
  { mode: "texts", after: "write_to_file", turn: completes("The text is new.") },
  { mode: "texts", turn: `{ tool: write_to_file, input: ${PAGE} }` },
  { mode: "tests", after: "execute_command", turn: completes("All tests pass.") },
  { mode: "tests", turn: command(TESTS) },
  { mode: "images", turn: command(`sleep ${HOUR}`) },
  {
    mode: "notes",
    turn: `{ stallMs: ${HOUR_MS}, after: 4, text: "Subtasks of one response work at the same time now." }`,
  },
  { mode: "links", after: "new_task", turn: completes("All links work.") },
  { mode: "links", turn: `[${TWO.join(", ")}]` },
  { mode: "inner", after: "ask_followup_question", turn: completes("The pages are linked.") },
  {
    mode: "inner",
    turn: "{ tool: ask_followup_question, input: { question: Which pages?, follow_up: [{ text: All }] } }",
  },
  { mode: "outer", turn: completes("Two links are dead.") },
  { mode: "later", turn: completes("It is published.") },
);

/** A person is asked about edits and about the tests. */
const judge: Policy = (call, facts) =>
  call.tool.name === "write_to_file" || facts.description.command === TESTS
    ? { kind: "ask" }
    : allowEverything()(call, facts);

/** A served task whose subtasks work at the same time. */
export interface ServedParallel extends AsyncDisposable {
  readonly served: Served;
  /** The id of the task. Its subtasks have it before a dot and their number. */
  readonly id: string;
}

/**
 * Serve a task with six subtasks. Subtasks 1 to 5 work at once: 1 and 2 ask for an approval, 3 runs a command, 4 receives a
 * response, and 5 started two subtasks: 5.1 asks a question, and 5.2 has completed. Subtask 6 has not started.
 */
export async function openParallel(options: Partial<ServedOptions> = {}): Promise<ServedParallel> {
  const served = await Served.open({
    ...{ script: SCRIPT, ...options },
    task: { permissions: { judge }, modes, limits: { parallelSubtasks: 5 } },
  });
  const { id } = await served.create("Bring the site up to date");
  const reach = async (child: string, path: string, isReady = (_: Task): boolean => true): Promise<void> => {
    const task = await openedTask(served.host, `${id}.${child}`);
    const isThere = () => dottedPath(task.snapshot.value) === path && isReady(task);
    await firstValueFrom(task.events$.pipe(startWith(undefined), filter(isThere)));
  };
  await Promise.all([
    reach("1", "waiting_for_input.approval"),
    reach("2", "waiting_for_input.approval"),
    reach("3", "running.commanding"),
    reach("4", "streaming.receiving"),
    reach("5", "running.delegated", hasResult),
    reach("5.1", "waiting_for_input.answer"),
  ]);
  return { served, id, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

/** Whether one of the subtasks of a task has given it its result. */
const hasResult = ({ snapshot }: Task): boolean =>
  snapshot.context.turn.calls.some(({ phase }) => phase === "settled");
