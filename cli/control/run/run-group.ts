import { mkdir } from "node:fs/promises";
import path from "node:path";
import { draw } from "../draw.ts";
import { copyWorkspace } from "../setting/setting.ts";
import { type FinishedRun, finishedRuns } from "./finished-run.ts";
import { snapshotOf } from "./folder-snapshot.ts";
import type { RunGroup } from "./planned-run.ts";
import { withFolders } from "./run-folders.ts";
import { runPart, type TaskPlace } from "./task-part.ts";

/** Requests of a run. */
const REQUESTS_MAX = 100;

export type RunScope = Omit<TaskPlace, "folders">;

/**
 * Run the samples of a group one after another, and check their workspaces. Each has folders of its own, which are
 * removed afterwards. Samples with a prefix share them: absolute paths in their conversations stay true.
 *
 * @throws SandboxError `SANDBOX_MISSING`
 * @throws RunError `SETTING_INVALID`, `PROTOCOL_FAILED`, `MODEL_FAILED`, `PREFIX_FAILED`
 * @throws the reason of `signal` if it aborts
 */
export async function runGroup(group: RunGroup, scope: RunScope): Promise<readonly FinishedRun[]> {
  const { prefix } = group;
  if (prefix !== undefined) return inFolders(group, scope, (place) => runForks(group, prefix, place));
  return eachSample(group, (sample) => inFolders(group, scope, (place) => runWhole(group, sample, place)));
}

const inFolders = <Result>(
  { setting }: RunGroup,
  scope: RunScope,
  work: (place: TaskPlace) => Promise<Result>,
): Promise<Result> =>
  withFolders(
    { isSandboxed: scope.isSandboxed, fill: ({ workspace }) => copyWorkspace(setting, workspace) },
    (folders) => work({ ...scope, folders }),
  );

/** Run the task of one sample. */
async function runWhole(group: RunGroup, sample: number, place: TaskPlace): Promise<readonly FinishedRun[]> {
  const part = await runPart(group, place, { seed: seedOf(group, sample), requestsMax: REQUESTS_MAX });
  return finishedRuns({ ...group, samples: [sample] }, part, place);
}

/** Run the first requests of a task, and go on from there once for each sample. A task that ends before has one end. */
async function runForks(group: RunGroup, prefix: number, place: TaskPlace): Promise<readonly FinishedRun[]> {
  const requestsMax = Math.min(prefix, REQUESTS_MAX);
  const before = await runPart(group, place, { seed: seedOf(group, "prefix"), requestsMax });
  if (before.end.error?.code !== "request_limit") return finishedRuns(group, before, place);
  const { workspace, home, programs, data } = place.folders;
  await mkdir(data, { recursive: true });
  const restore = await snapshotOf([workspace, home, data], path.join(programs, "snapshot"));
  return eachSample(group, async (sample) => {
    await restore();
    const seed = seedOf(group, sample);
    const part = await runPart(group, place, { seed, requestsMax: REQUESTS_MAX, before });
    return finishedRuns({ ...group, samples: [sample] }, part, place);
  });
}

async function eachSample(
  { samples }: RunGroup,
  work: (sample: number) => Promise<readonly FinishedRun[]>,
): Promise<readonly FinishedRun[]> {
  const finished: FinishedRun[] = [];
  for (const sample of samples) finished.push(...(await work(sample)));
  return finished;
}

/**
 * The seed of a sample, or of what samples share. Protocols share the drawn numbers, so that they are compared in pairs.
 * A prefix has numbers of its own: no sample is closer to it than another.
 */
const seedOf = ({ seed, setting, policy }: RunGroup, part: number | "prefix"): number =>
  draw(seed, setting.name, policy.name, part);
