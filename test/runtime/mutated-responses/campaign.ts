import { type MutatedTaskEnd, runMutatedTask } from "./mutated-task.ts";

export interface CampaignOptions {
  /** Task `n` has the seed `seed + n`. */
  readonly seed: number;
  /** Responses to reach; the last task adds some more. */
  readonly responses: number;
  /** A folder that stays empty. */
  readonly workspace: string;
  /** The only task to run. */
  readonly only?: number | undefined;
}

/** The first task with a problem. */
interface FailedTask extends MutatedTaskEnd {
  readonly task: number;
}

export interface Campaign {
  readonly tasks: number;
  readonly responses: number;
  /** How often each end of a response and each ask came. */
  readonly counts: ReadonlyMap<string, number>;
  readonly failure?: FailedTask;
}

/** Run tasks, each against its own mutated responses, until one has a problem. */
export async function runCampaign({ seed, responses, workspace, only }: CampaignOptions): Promise<Campaign> {
  const counts = new Map<string, number>();
  let done = 0;
  for (let task = only ?? 0; ; task += 1) {
    const end = await runMutatedTask({ seed: seed + task, workspace });
    done += end.responses;
    for (const [what, count] of end.counts) counts.set(what, (counts.get(what) ?? 0) + count);
    const campaign = { tasks: task - (only ?? 0) + 1, responses: done, counts };
    if (end.problems.length > 0) return { ...campaign, failure: { ...end, task } };
    if (done >= responses || only !== undefined) return campaign;
  }
}

/** A failure for people, with the command that repeats it alone. */
export function formatFailure({ task, problems }: FailedTask, seed: number): string {
  return [
    `Task ${task} of seed ${seed}:`,
    ...problems,
    "Repeat it alone:",
    `SIGNALBOX_SEED=${seed} SIGNALBOX_MUTATED_TASK=${task} npx vitest run test/runtime/mutated-responses`,
  ].join("\n");
}
