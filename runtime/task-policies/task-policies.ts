import path from "node:path";
import type { Commit } from "../../store/index.ts";
import { type CompiledPolicies, callFacts, type PolicyEvent, TemporalJudge } from "../../temporal/index.ts";
import {
  messageOf,
  type Policy,
  type PolicyCall,
  type PolicyFacts,
  type Tool,
  type Workspace,
} from "../../tools/index.ts";
import type { JournalHeader } from "../../wire/index.ts";
import { type OpenJournal, TaskHistory, type TaskReader } from "./history.ts";

export interface TaskPoliciesOptions {
  readonly policies: CompiledPolicies;
  readonly taskId: string;
  readonly parent: JournalHeader["parent"];
  /** Number of the newest record when the actors are created. Absent: the task is new. */
  readonly lastSeq: number | undefined;
  readonly journal: OpenJournal;
  readonly workspace: Workspace;
  readonly tools: () => readonly Tool[];
}

/**
 * The policies over time of one task, while it has actors: what happened before is read from its journal, so that
 * a resumed task, a fork and a subtask have the same past.
 */
export class TaskPolicies {
  readonly #options: TaskPoliciesOptions;
  readonly #judge: TemporalJudge;
  readonly #reader: TaskReader;
  /** Resolves when all commits so far are added, with what made that impossible. */
  #past: Promise<unknown>;

  constructor(options: TaskPoliciesOptions) {
    this.#options = options;
    this.#judge = new TemporalJudge(options.policies);
    const history = new TaskHistory(options.journal, {
      workspace: options.workspace.root,
      effectOf: (name) => options.tools().find((tool) => tool.name === name)?.effect,
    });
    this.#reader = history.reader();
    const { taskId, parent, lastSeq } = options;
    const past = lastSeq === undefined ? history.above(parent) : history.until(taskId, lastSeq, this.#reader);
    this.#past = this.#addAll(past).catch((error: unknown) => ({ error }));
  }

  /** Add a commit that is durable. `seq`: of its record. */
  note(commit: Commit, seq: number): void {
    this.#past = this.#past.then(async (failure) => {
      if (failure !== undefined) return failure;
      try {
        await this.#addAll(this.#reader.eventsIn({ ...commit, seq }));
      } catch (error) {
        return { error };
      }
      for (const { callId, phase } of commit.calls) if (phase !== "asking") this.#judge.release(callId);
      if (commit.turnEnded) this.#judge.releaseAll();
      return undefined;
    });
  }

  /** The policy with these policies over time: they only tighten it. */
  over(policy: Policy): Policy {
    const judged: Policy = async (call, facts) => {
      const verdict = await policy(call, facts);
      // Without questions and completions a task could not end.
      if (verdict.kind === "deny" || call.tool.effect === "asks") return verdict;
      const failure = await this.#past;
      if (failure !== undefined) {
        const { error } = { error: undefined, ...failure };
        return { kind: "ask", because: `what happened before can't be read: ${messageOf(error)}` };
      }
      const event = startOf(call, facts);
      return this.#judge.judge({ callId: facts.callId ?? "", event, verdict });
    };
    return policy.explain === undefined ? judged : Object.assign(judged, { explain: policy.explain });
  }

  async #addAll(events: AsyncIterable<PolicyEvent>): Promise<undefined> {
    for await (const event of events) this.#judge.add(await this.#resolved(event));
    return undefined;
  }

  /** The event with the real paths, too. */
  async #resolved(event: PolicyEvent): Promise<PolicyEvent> {
    if (event.paths === undefined) return event;
    const { workspace } = this.#options;
    const real = await Promise.all(event.paths.map(async (name) => (await workspace.resolve(name)).real));
    return {
      ...event,
      paths: union(
        event.paths,
        real.map((each) => within(workspace.root, each)),
      ),
    };
  }
}

/** The event of a call if it started now. */
function startOf({ tool, input }: PolicyCall, { description, workspace }: PolicyFacts): PolicyEvent {
  const facts = callFacts(tool.name, input, { effect: tool.effect, workspace });
  const { command = facts.command, fetches } = description;
  const given = description.paths.flatMap((each) =>
    [each.path, each.real].map((one) => within(workspace, one)),
  );
  const paths = union(facts.paths ?? [], given);
  const hosts = union(facts.hosts ?? [], fetches === undefined ? [] : [fetches]);
  return {
    kind: "call.started",
    ...facts,
    ...(paths.length > 0 && { paths }),
    ...(hosts.length > 0 && { hosts }),
    ...(command !== undefined && tool.effect === "executes" && { command }),
  };
}

const union = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...new Set([...one, ...other]),
];

const within = (root: string, name: string): string =>
  path.relative(root, path.resolve(root, name)).split(path.sep).join("/") || ".";
