import { filter, firstValueFrom } from "rxjs";
import { fileJournal, readJournal } from "../../store/index.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import { traceEventSchema } from "../../wire/http/trace.ts";
import { openRig, type Rig } from "../support/host.ts";
import type { PacedClock } from "./gallery/paced-clock.ts";

/** The model's responses in the recorded task: it enters all six states, and retries once. */
const script = `
name: recorded
seed: 7
chunk: [12, 40]
turns:
  - blocks:
      - thinking: I don't know this project yet. I look at its files first.
      - text: I look around first.
      - { tool: list_files, input: { path: "." } }
      - { tool: read_file, input: { path: src/basket.js } }
    usage: { input_tokens: 2150, output_tokens: 96 }
  - { status: 529 }
  - blocks:
      - thinking: The comment says "from ten pieces on". The code says more than ten.
      - text: |
          The comparison leaves out the **tenth** piece. I correct it:

          \`\`\`js
          const discount = pieces >= 10 ? 0.1 : 0;
          \`\`\`
      - tool: apply_diff
        input:
          path: src/basket.js
          diff: |
            <<<<<<< SEARCH
            const discount = pieces > 10 ? 0.1 : 0;
            =======
            const discount = pieces >= 10 ? 0.1 : 0;
            >>>>>>> REPLACE
    usage: { input_tokens: 2480, output_tokens: 188 }
  - blocks:
      - text: I run the tests.
      - { tool: execute_command, input: { command: "node check.js" } }
    usage: { input_tokens: 3310, output_tokens: 64 }
  - blocks:
      - tool: ask_followup_question
        input:
          question: Shall I also say it in the changelog?
          follow_up: [{ text: "Yes, one line" }, { text: "No" }]
    usage: { input_tokens: 3620, output_tokens: 61 }
  - tool: attempt_completion
    input: { result: "The discount began at eleven pieces instead of ten. It is corrected, and the check passes." }
    usage: { input_tokens: 4120, output_tokens: 74 }
`;

const files = {
  "src/basket.js":
    "// From ten pieces on there is a discount.\nconst discount = pieces > 10 ? 0.1 : 0;\nexport const priceOf = (pieces) => pieces * (1 - discount);\n",
  "check.js": "console.log('3 tests, 3 passed');\n",
};

export interface RecordedOptions {
  /** Default: true. */
  readonly isCancelled?: boolean;
  /** Gives the task the same times in each recording. Default: the system's time. */
  readonly clock?: PacedClock;
  /** Default: a random id. */
  readonly id?: string;
}

/** The time that the user thinks before an answer. */
const ANSWER_MS = 3_400;
/** The time that is spent on what the answer starts. */
const WORK_MS = 620;

/** A real task with the mock model: approved, answered, cancelled once by default, resumed, completed. */
export async function recordTask({
  isCancelled = true,
  clock,
  id,
}: RecordedOptions = {}): Promise<readonly TraceEvent[]> {
  await using rig = await openRig({
    ...{ script, files, mode: "code" },
    host: { ...(clock && { clock, random: () => 0.5 }), ...(id !== undefined && { newId: () => id }) },
    ...(clock && { wrap: clock.paced }),
  });
  const { task } = rig;
  let wasCancelled = !isCancelled;
  task.asks$.subscribe((ask) => {
    clock?.advance(ANSWER_MS);
    if (ask.kind === "command" && !wasCancelled) {
      wasCancelled = true;
      task.cancel();
    } else if (ask.kind === "tool" || ask.kind === "command") ask.approve();
    if (ask.kind === "resume") ask.approve();
    if (ask.kind === "question") ask.answer(ask.suggestions[0]?.answer ?? "");
    clock?.advance(WORK_MS);
  });
  const completed = firstValueFrom(task.asks$.pipe(filter(({ kind }) => kind === "completion")));
  await task.run("Fix the discount of the basket");
  await completed;
  const events = await traceOf(rig);
  return clock === undefined ? events : withWorkspace(events, rig.dir);
}

/** The workspace of a task whose trace is the same in each recording. */
const WORKSPACE = "/home/user/shop";

const withWorkspace = (events: readonly TraceEvent[], dir: string): readonly TraceEvent[] =>
  traceEventSchema.array().parse(JSON.parse(JSON.stringify(events).replaceAll(dir, WORKSPACE)));

async function traceOf({ task, dataDir }: Rig): Promise<readonly TraceEvent[]> {
  const tracer = new Tracer(task.id);
  const events: TraceEvent[] = [];
  const driver = fileJournal({ dir: `${dataDir}/tasks/${task.id}` });
  for await (const record of readJournal(driver, { onTail: () => {} })) events.push(tracer.add(record));
  return events;
}
