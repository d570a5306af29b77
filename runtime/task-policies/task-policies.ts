import path from "node:path";
import type { Objection, StartFacts, StartJudgement } from "../../machines/tool-call/call.ts";
import type { Commit } from "../../store/gate/commit.ts";
import { messageOf } from "../../tools/error.ts";
import type { PolicyCall, PolicyFacts } from "../../tools/policy/policy.ts";
import { callFacts } from "../../tools/temporal/call-facts.ts";
import { type PolicyEvent, valuesOfArgument } from "../../tools/temporal/event.ts";
import { TemporalJudge } from "../../tools/temporal/judge.ts";
import type { CompiledPolicies } from "../../tools/temporal/monitor.ts";
import type { JournalHeader } from "../../wire/journal/record.ts";
import { type OpenJournal, TaskHistory, type TaskReader } from "./history.ts";

export interface TaskPoliciesOptions {
  readonly policies: CompiledPolicies;
  readonly taskId: string;
  readonly parent: JournalHeader["parent"];
  /** Number of the newest record when the actors are created. Absent: the task is new. */
  readonly lastSeq: number | undefined;
  readonly journal: OpenJournal;
  /** The workspace in the header of the journal. */
  readonly workspace: string;
}

/**
 * The policies over time of one task, while it has actors: what happened before is read from its journal, so that
 * a resumed task, a fork and a subtask have the same past. The same reader and monitor check a recorded journal (law ONE).
 */
export class TaskPolicies {
  readonly #judge: TemporalJudge;
  /** The names of the arguments that they compare. */
  readonly #arguments: readonly string[];
  readonly #reader: TaskReader;
  /** Resolves when all commits so far are added, with what made that impossible. */
  #past: Promise<{ readonly error: unknown } | undefined>;

  constructor({ policies, taskId, parent, lastSeq, journal, workspace }: TaskPoliciesOptions) {
    this.#judge = new TemporalJudge(policies);
    this.#arguments = policies.arguments;
    const history = new TaskHistory(journal);
    this.#reader = history.reader(workspace);
    this.#past = this.#addAll(
      lastSeq === undefined ? history.above(parent) : history.until(taskId, lastSeq, this.#reader),
    );
  }

  /** Add a commit that is durable. `seq`: of its record. */
  note(commit: Commit, seq: number): void {
    this.#past = this.#past.then(
      (failure) => failure ?? this.#addAll(this.#reader.eventsIn({ ...commit, seq })),
    );
  }

  /** Judge a call that is about to start. Where what happened before can't be read, only a person may permit it. */
  async judgeStart(call: PolicyCall, facts: PolicyFacts): Promise<StartJudgement> {
    const started = startOf(call, facts, this.#arguments);
    const failure = await this.#past;
    if (failure !== undefined) return { facts: started, policy: unreadable(failure.error) };
    const decision = facts.callId === undefined ? {} : this.#reader.decisionAbout(facts.callId);
    const event: PolicyEvent = { kind: "call.started", tool: call.tool.name, ...started, ...decision };
    const [policy, person] = [
      this.#judge.objectionTo(event, "policy"),
      this.#judge.objectionTo(event, "person"),
    ];
    return {
      facts: started,
      ...(policy !== undefined && { policy }),
      ...(person !== undefined && { person }),
    };
  }

  async #addAll(events: AsyncIterable<PolicyEvent>): Promise<{ readonly error: unknown } | undefined> {
    try {
      for await (const event of events) this.#judge.add(event);
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}

function unreadable(error: unknown): Objection {
  const because = `what happened before can't be read: ${messageOf(error)}`;
  return { rule: "policies", reason: `Only a person may permit this, since ${because}.`, because };
}

/** The facts of a call if it started now: of its final arguments, and of its real paths. */
function startOf(
  { tool, input }: PolicyCall,
  { description, workspace }: PolicyFacts,
  names: readonly string[],
): StartFacts {
  const found = callFacts(tool.name, input, { effect: tool.effect, workspace });
  const { tool: _, arguments: _values, notCompared = [], ...facts } = found;
  const { command = facts.command, fetches } = description;
  const given = description.paths.flatMap((each) =>
    [each.path, each.real].map((one) => within(workspace, one)),
  );
  const paths = union(facts.paths ?? [], given);
  const hosts = union(facts.hosts ?? [], fetches === undefined ? [] : [fetches]);
  // One that is missing is recorded, too: it is not read from what the model sent.
  const compared = names.map((name) => [name, valuesOfArgument(found, name)]);
  const unread = names.filter((name) => notCompared.includes(name));
  return {
    ...facts,
    effect: tool.effect,
    ...(compared.length > 0 && { arguments: Object.fromEntries(compared) }),
    ...(unread.length > 0 && { notCompared: unread }),
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
