import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { CallTracker } from "../../../actors/calls/call-tracker.ts";
import { contextActor } from "../../../actors/context/context.ts";
import { type AnthropicOptions, anthropic, openWorkspace } from "../../../adapters/index.ts";
import type { AssistantBlock } from "../../../machines/conversation/entry.ts";
import { memoize } from "../../../machines/conversation/memoize.ts";
import { validateConversation } from "../../../machines/conversation/validate.ts";
import { detectAgentState } from "../../../machines/message/detect.ts";
import { FACT_NAMES } from "../../../machines/task/commit.ts";
import type { DurableFacts } from "../../../machines/task/task.events.ts";
import type { Verdict } from "../../../machines/tool-call/call.ts";
import type { ChatModel, ModelRequest } from "../../../ports/model.ts";
import { createHost, type Host } from "../../../runtime/host.ts";
import type { Ask } from "../../../runtime/task/ask.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import { MemoryStore, memoryJournal } from "../../../store/index.ts";
import { replayJournal } from "../../../store/recovery/replay.ts";
import { ToolError, type Workspace } from "../../../tools/index.ts";
import { CommitMonitor } from "../../../verify/index.ts";
import { Random } from "../../../verify/simulation/random.ts";
import { stillClock } from "../../support/still-clock.ts";
import { Endpoint } from "./endpoint.ts";
import { answer, interject } from "./person.ts";
import { contentsOf, readingOf } from "./reading.ts";
import { hasLoneSurrogate } from "./request-check.ts";
import { TOOLS } from "./tools.ts";

export interface MutatedTaskOptions {
  readonly seed: number;
  /** A folder that stays empty. */
  readonly workspace: string;
}

/** What became of a task. */
export interface MutatedTaskEnd {
  /** Violated laws, reported errors, hangs, in order. */
  readonly problems: readonly string[];
  readonly responses: number;
  /** How often each end of a response and each ask came. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Responses of the endpoint until a task is closed: 20 to 50. */
const RESPONSES_MIN = 20;
const RESPONSES_MORE = 31;
/** Turns of the event loop without any activity after which a task hangs. */
const IDLE_TURNS_MAX = 50;
/** Turns without activity after which the clock is moved, if the task waits for it. */
const QUIET_TURNS = 2;
const CLOCK_STEP_MS = 250;
const MODEL = "claude-sonnet-4-5";
const NO_FILES: Workspace = {
  ...(await openWorkspace(".")),
  root: "/empty",
  list: async () => ({ names: [], cut: false }),
  read: () => Promise.reject(new ToolError("NOT_FOUND", "There is no file.")),
  changeTimes: async () => new Map(),
  resolve: async (name: string) => ({ path: name, real: name, inside: false, ignored: false }),
};
const VERDICTS: readonly Verdict[] = [
  { kind: "allow", rule: "always" },
  { kind: "ask" },
  { kind: "ask" },
  { kind: "deny", rule: "never", reason: "No." },
];

/** Run a task against mutated responses until it has had enough of them, and close it. */
export function runMutatedTask(options: MutatedTaskOptions): Promise<MutatedTaskEnd> {
  return new MutatedTask(options).run();
}

class MutatedTask {
  readonly #options: MutatedTaskOptions;
  readonly #random: Random;
  readonly #clock = stillClock();
  readonly #endpoint: Endpoint;
  readonly #problems: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #stores = new Map<string, MemoryStore>();
  readonly #monitors = new Map<Task, CommitMonitor>();
  readonly #asks: { readonly task: Task; readonly ask: Ask }[] = [];
  /** Tasks that wait for the clock. */
  readonly #retrying = new Set<Task>();
  /** Anything that happened. */
  #activity = 0;
  /** Why the newest response of each task stopped. */
  readonly #stopReasons = new Map<Task, string>();
  #ids = 0;

  constructor(options: MutatedTaskOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#endpoint = new Endpoint(this.#random, {
      onRead: () => this.#onRead(),
      onProblem: (problem) => this.#report(problem),
    });
  }

  async run(): Promise<MutatedTaskEnd> {
    const { workspace } = this.#options;
    const random = this.#random;
    const responses = RESPONSES_MIN + random.below(RESPONSES_MORE);
    const host = createHost({
      clock: this.#clock,
      random: () => random.next(),
      newId: () => `id-${this.#ids++}`,
      journal: (taskId) => memoryJournal({ store: this.#store(taskId) }),
      onError: (error) => this.#report(`reported error: ${detail(error)}`),
      ...(random.chance(0.2) && { maxResident: 0 }),
    });
    host.opened$.subscribe((task) => this.#follow(task));
    const isSmall = random.chance(0.1);
    const root = await host.create({
      id: "root",
      workspace,
      model: this.#model(isSmall ? { eventMaxChars: 400 } : {}),
      tools: TOOLS,
      permissions: { judge: () => random.pick(VERDICTS) ?? { kind: "ask" } },
      completion: random.chance(0.5) ? "end_turn" : "tool",
      autoRetry: random.chance(0.9),
      limits: {
        retryDelayMs: 200,
        retryDelayMaxMs: 500,
        retryAfterMaxMs: 1_000,
        ...(random.chance(0.3) && { requests: 3, mistakes: 1, calls: 2, pauses: 1, cost: 1 }),
      },
      // No I/O: a listing takes longer than all that follows it.
      actors: (_, edge) => ({
        context: contextActor(edge, {
          workspace: NO_FILES,
          tools: TOOLS,
          outcomes: new CallTracker({ clock: this.#clock }),
        }),
      }),
      llm: { idleTimeoutMs: 1_000, ...(isSmall && { answerMaxChars: 30, previewBytes: 8 }) },
    });
    this.#run(root, "Make it bigger 🔧.");
    await this.#until(() => this.#endpoint.count >= responses);
    await this.#close(host);
    if (this.#problems.length === 0) for (const task of this.#tasks) await this.#checkEnd(task);
    return { problems: this.#problems, responses: this.#endpoint.count, counts: this.#counts };
  }

  async #close(host: Host): Promise<void> {
    let isClosed = false;
    host.closeAll().then(
      () => {
        isClosed = true;
      },
      (error: unknown) => this.#report(`closing failed: ${detail(error)}`),
    );
    await this.#until(() => isClosed);
  }

  /** Take turns with the tasks until `isDone`. */
  async #until(isDone: () => boolean): Promise<void> {
    let idle = 0;
    while (!isDone() && this.#problems.length === 0) {
      const before = this.#activity;
      await turnOfEventLoop();
      if (this.#activity !== before) idle = 0;
      else if (!isReadingFiles()) idle += 1;
      this.#act();
      if (idle < QUIET_TURNS) continue;
      if (this.#waitsForClock) this.#clock.advance(CLOCK_STEP_MS);
      if (idle > IDLE_TURNS_MAX) this.#report(`nothing happens: ${this.#states()}`);
    }
  }

  get #waitsForClock(): boolean {
    return this.#retrying.size > 0 || this.#endpoint.isSilent;
  }

  /** Some reads are the moment at which a person acts. */
  #onRead(): void {
    this.#noteActivity();
    if (!this.#random.chance(0.01)) return;
    const task = this.#random.pick(this.#tasks.filter(({ isOpen }) => isOpen));
    if (task !== undefined) queueMicrotask(() => interject(task, this.#random));
  }

  #act(): void {
    const next = this.#asks.shift();
    if (next === undefined) return;
    this.#noteActivity();
    const { task, ask } = next;
    if (!task.isOpen) return;
    this.#count(`ask ${ask.kind}`);
    if (this.#random.chance(0.03)) interject(task, this.#random);
    answer(ask, this.#random);
  }

  /** Only a task that was closed may leave a run without its end. */
  #run(task: Task, prompt: string): void {
    task.run(prompt).catch((error: unknown) => {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "TASK_CLOSED") this.#report(`run failed: ${detail(error)}`);
    });
  }

  #follow(task: Task): void {
    const monitor = new CommitMonitor();
    this.#monitors.set(task, monitor);
    task.events$.subscribe((published) => this.#check(task, monitor, published));
    task.asks$.subscribe((ask) => {
      this.#noteActivity();
      this.#asks.push({ task, ask });
    });
  }

  /** L1 to L6 and L8 after each commit. */
  #check(task: Task, monitor: CommitMonitor, { commit, snapshot }: TaskCommit): void {
    this.#noteActivity();
    const { cause, after } = commit;
    monitor.addCommit(commit);
    const [violation] = monitor.violations;
    if (violation !== undefined) this.#report(`${task.id}: ${JSON.stringify(violation)}`);
    if (monitor.log.length !== snapshot.context.log.length)
      this.#report(`${task.id}: L2: ${monitor.log.length} messages were emitted`);
    if (after === "running.retrying") this.#retrying.add(task);
    else this.#retrying.delete(task);
    // A completion that was accepted or declined offers no new ask.
    const isNew = after !== commit.before;
    if (isNew && (after === "idle.completed" || after === "idle.declined"))
      this.#run(task, "And one more thing.");
    if (cause?.type === "llm.finished") {
      this.#stopReasons.set(task, cause.stopReason);
      this.#count(`finished ${cause.stopReason}`);
      this.#checkContent(task, cause.content);
    }
    if (cause?.type === "llm.failed") {
      const { code, message } = cause.failure;
      this.#count(`failed ${code}`);
      if (code === "model_error") this.#report(`${task.id}: an error that nothing expects: ${message}`);
      if ((this.#counts.get("failed idle_timeout") ?? 0) > this.#endpoint.silences)
        this.#report("a stream that ended was not read to its end");
    }
  }

  /** Nothing of a response that was accepted is lost, and it was whole (L4). */
  #checkContent(task: Task, content: readonly AssistantBlock[]): void {
    const response = this.#endpoint.responseTo(task);
    if (!Buffer.concat(response?.chunks ?? []).includes("message_stop"))
      this.#report(`${task.id}: L4: a cut response was accepted`);
    if (response?.events === undefined) return;
    const [sent, kept] = [readingOf(response.events), contentsOf(content)];
    if (!isDeepStrictEqual(sent, kept))
      this.#report(`${task.id}: expected ${JSON.stringify(sent)}, kept ${JSON.stringify(kept)}`);
  }

  get #tasks(): readonly Task[] {
    return [...this.#monitors.keys()];
  }

  /** The model of all tasks. Each has its own client, so that its responses are known. */
  #model(options: Partial<AnthropicOptions>): ChatModel {
    const clients = memoize((task: Task) =>
      anthropic({
        model: MODEL,
        apiKey: "none",
        baseURL: "http://endpoint.invalid",
        fetch: this.#endpoint.fetchOf(task),
        clock: this.#clock,
        idleTimeoutMs: 1_000,
        ...options,
      }),
    );
    return {
      id: MODEL,
      stream: (request, signal) => {
        const task = this.#taskOf(request);
        const mayEndWithAssistant = this.#stopReasons.get(task) === "pause_turn";
        const [fault] = validateConversation(request.messages, { mayEndWithAssistant });
        if (fault !== undefined) this.#report(`L6: ${JSON.stringify(fault)}`);
        return clients(task).stream(request, signal);
      },
    };
  }

  /** The task of a request: its conversation begins with the same entry. */
  #taskOf({ messages: [first] }: ModelRequest): Task {
    const task = this.#tasks.find(({ snapshot }) => snapshot.context.conversation.at(0) === first);
    if (task === undefined) throw new Error("a request is of no task");
    return task;
  }

  /** The task is at rest, and its journal has its messages (L11). */
  async #checkEnd(task: Task): Promise<void> {
    const { log, conversation } = task.snapshot.context;
    // A subtask that was closed before it began.
    if (log.length === 0) return;
    const { state } = detectAgentState(log);
    if (state !== "idle" && state !== "resumable") this.#report(`${task.id}: closed while ${state}`);
    const store = this.#store(task.id);
    const written = Buffer.concat(store.chunks()).toString();
    if (hasLoneSurrogate(written)) this.#report(`${task.id}: the journal has a lone surrogate`);
    const replayed = await replayJournal(memoryJournal({ store }));
    if (replayed?.tail !== undefined)
      this.#report(`${task.id}: the journal ends with ${replayed.tail.reason}`);
    const { recorded } = replayed ?? {};
    for (const [what, kept, had] of [
      ["messages", recorded?.log.toArray(), log.toArray()],
      ["entries", recorded?.conversation.toArray(), conversation.toArray()],
      ["facts", recorded?.facts, factsLike(recorded?.facts, task.snapshot.context)],
    ])
      if (!isDeepStrictEqual(kept, had)) this.#report(`${task.id}: L11: the journal has other ${what}`);
  }

  #store(taskId: string): MemoryStore {
    const store = this.#stores.get(taskId) ?? new MemoryStore();
    this.#stores.set(taskId, store);
    return store;
  }

  #states(): string {
    return this.#tasks.map((task) => `${task.id} is ${JSON.stringify(task.snapshot.value)}`).join(", ");
  }

  #noteActivity(): void {
    this.#activity += 1;
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  #report(problem: string): void {
    const { count, last } = this.#endpoint;
    const of = last === undefined ? "" : ` (response ${count}: ${[last.name, ...last.mutations].join(", ")})`;
    this.#problems.push(problem + of);
  }
}

/** The facts of a task that are among the recorded ones; it records those that changed. */
const factsLike = (recorded: Partial<DurableFacts> = {}, context: DurableFacts): Partial<DurableFacts> =>
  Object.fromEntries(
    FACT_NAMES.filter((fact) => fact in recorded).map((fact) => [fact, context[fact] ?? null]),
  );

const detail = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Whether the process waits for a file, such as the rules of the workspace. */
const isReadingFiles = (): boolean =>
  process.getActiveResourcesInfo().some((name) => name.endsWith("Req") || name.startsWith("FSReq"));
