import path from "node:path";
import type { JournalDriver } from "../../ports/journal.ts";
import type { Host } from "../../runtime/host.ts";
import { ReplayResults } from "../../runtime/permission-replay/replay-results.ts";
import {
  canReplay,
  type JudgingOptions,
  type ReplayOptions,
  replayTask,
  replayTasks,
} from "../../runtime/permission-replay/replay-tasks.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { ToolError } from "../../tools/error.ts";
import { type HypotheticalPermissions, hypotheticalPermissions } from "../../tools/judge/hypothetical.ts";
import type { ReplayBody, Replayed } from "../../wire/http/permission-replay.ts";
import { ServerError } from "../error.ts";

interface PermissionReplaysOptions {
  readonly host: Host;
  readonly history: TaskHistory;
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  readonly task: JudgingOptions;
  /** The default workspace; relative workspaces are resolved against it. */
  readonly workspace: string;
}

/** Judges the calls of recorded tasks again, also of open ones, by the options of the server's tasks. */
export class PermissionReplays {
  readonly #options: PermissionReplaysOptions;

  constructor(options: PermissionReplaysOptions) {
    this.#options = options;
  }

  /**
   * Replay one task, or all tasks of a workspace.
   *
   * @throws ServerError `BODY_INVALID` for an invalid rule, `POLICY_OPAQUE` @throws TaskHistoryError @throws JournalError
   */
  async replay({ taskId, callId, workspace = ".", ...permissions }: ReplayBody): Promise<Replayed> {
    const { history, task, workspace: folder } = this.#options;
    const options = { ...this.#options, tried: triedIn(permissions) };
    if (!canReplay(task)) throw opaquePolicy();
    if (taskId !== undefined) return this.#one(taskId, callId, options);
    const tasks = await history.list({ workspace: path.resolve(folder, workspace) });
    const results = new ReplayResults();
    for await (const replayed of replayTasks(await this.#written(tasks.map(({ id }) => id)), options))
      results.add(replayed);
    return results.all;
  }

  async #one(taskId: string, callId: string | undefined, options: ReplayOptions): Promise<Replayed> {
    const { id } = await this.#options.history.summary(taskId);
    await this.#written([id]);
    const results = new ReplayResults();
    const replayed = await replayTask(id, options, (call) => callId === undefined || call.callId === callId);
    results.add(replayed);
    const found = "calls" in replayed ? replayed.calls.find((call) => call.callId === callId) : undefined;
    if (found?.kind !== "judged") return results.all;
    const { recorded, cause, judges, matches } = found;
    // What a hook or a policy over time denied stays denied, whatever the rules say.
    const now = cause === undefined ? recorded : found.now;
    return { ...results.all, grounds: { callId: found.callId, recorded, now, judges, matches } };
  }

  /** The ids, once all that their tasks decided so far is in their journals. */
  async #written(ids: readonly string[]): Promise<readonly string[]> {
    for (const id of ids) await this.#options.host.tasks.get(id)?.flushed();
    return ids;
  }
}

/** @throws ServerError `BODY_INVALID` */
function triedIn(body: Pick<ReplayBody, "mode" | "allow" | "deny">): HypotheticalPermissions {
  try {
    return hypotheticalPermissions(body, "the body");
  } catch (error) {
    throw error instanceof ToolError
      ? new ServerError("BODY_INVALID", error.message, { cause: error })
      : error;
  }
}

const opaquePolicy = (): ServerError =>
  new ServerError(
    "POLICY_OPAQUE",
    "The judge of these tasks does not explain its verdicts, so their calls can't be judged again. Expected a judge with `explain`, such as byRules.",
  );
