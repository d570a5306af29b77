import { defineProtocol, type Protocol } from "../../control/protocol.ts";
import type { Change } from "../../machines/task/change.ts";
import type { TaskContext, TaskInput } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Controlled, ControlPoint } from "../../machines/tool-call/control.ts";
import type { HookVerdict } from "../../machines/tool-call/hooks.ts";
import { controlled } from "../../verify/controlled.ts";
import type { Bounds } from "../../verify/index.ts";
import { withPart } from "./changed-change.ts";
import { faultyStep } from "./faulty-step.ts";
import { SETTLED_UNSEEN } from "./hook-faults.ts";
import type { Fault } from "./seeded-faults.ts";

type Part = Pick<Fault, "bounds" | "input">;

/** A task with one call that this protocol controls. */
const under = (protocol: Protocol, bounds: Partial<Bounds> = {}, input: Partial<TaskInput> = {}): Part =>
  controlled<Part>(
    { bounds: { turns: 1, queued: 0, interruptions: 0, tools: ["write"], ...bounds }, input },
    protocol,
  );

/** The step of a call that loses its author. */
const withoutAuthor =
  <Of extends readonly unknown[]>(step: (...of: Of) => { readonly author?: unknown }) =>
  (...of: Of) => {
    const { author: _, ...call } = step(...of);
    return call;
  };

const at = <const P extends ControlPoint>(point: P) =>
  ({ monitor: { by: "function", at: point, thresholds: [0.2, 0.4, 0.6] } }) as const;

const SHUT_DOWN = { kind: "shutDown", reason: "it ends." } as const;
const PASS = { kind: "pass" } as const;

/** It audits a call, replaces it, or ends the task, and counts audits. */
const CALLS = defineProtocol({
  name: "calls",
  monitors: at("call"),
  state: { audits: 0 },
  judgeCall: (_, { monitor }, state) => {
    if (monitor <= 0.2) return { verdict: PASS, state };
    if (monitor <= 0.4) return { verdict: { kind: "audit" }, state: { audits: 1 } };
    if (monitor <= 0.6) return { verdict: { kind: "replace", from: "edit" }, state };
    return { verdict: SHUT_DOWN, state };
  },
});

/** It denies a response, has it written by the trusted model, or ends the task, and counts denials. */
const RESPONSES = defineProtocol({
  name: "responses",
  monitors: at("response"),
  state: { denied: 0 },
  judgeResponse: (_, { monitor }, state) => {
    if (monitor <= 0.2) return { verdict: PASS, state };
    if (monitor <= 0.4) return { verdict: { kind: "deny", reason: "not so." }, state: { denied: 1 } };
    if (monitor <= 0.6) return { verdict: { kind: "replace", from: "scratch" }, state };
    return { verdict: SHUT_DOWN, state };
  },
});

/** It changes a response. */
const EDITED = defineProtocol({
  name: "edited responses",
  monitors: {},
  state: {},
  judgeResponse: (_, __, state) => ({ verdict: { kind: "modify", text: "x", reason: "a word." }, state }),
});

/** It withholds a result, or ends the task. */
const RESULTS = defineProtocol({
  name: "results",
  monitors: at("result"),
  state: {},
  judgeResult: (_, { monitor }, state) => {
    if (monitor <= 0.2) return { verdict: PASS, state };
    if (monitor <= 0.4) return { verdict: { kind: "deny", reason: "not this." }, state };
    return { verdict: SHUT_DOWN, state };
  },
});

/** It ends the task at the first response that is suspicious, and judges no call. */
const ENDING = defineProtocol({
  name: "ending",
  monitors: { monitor: { by: "function", at: "response", thresholds: [0.5] } },
  state: {},
  judgeResponse: (_, { monitor }, state) => ({ verdict: monitor > 0.5 ? SHUT_DOWN : PASS, state }),
});

/** It audits each suspicious call, and counts none. */
const UNCOUNTED = defineProtocol({
  name: "uncounted",
  monitors: { monitor: { by: "function", at: "call", thresholds: [0.5] } },
  state: { audits: 0 },
  auditBudget: 1,
  judgeCall: (_, { monitor }, state) => ({ verdict: monitor > 0.5 ? { kind: "audit" } : PASS, state }),
});

/** It takes an audit back with each call that passes. */
const REFILLED = defineProtocol({
  name: "refilled",
  monitors: { monitor: { by: "function", at: "call", thresholds: [0.5] } },
  state: { audits: 0 },
  auditBudget: 1,
  judgeCall: (_, { monitor }, state) => {
    if (monitor <= 0.5) return { verdict: PASS, state: { audits: 0 } };
    return state.audits < 1
      ? { verdict: { kind: "audit" }, state: { audits: 1 } }
      : { verdict: { kind: "deny", reason: "no audit is left." }, state };
  },
});

/** A task of texts whose context window is full, and whose summaries a protocol judges. */
const SUMMARIZED = under(
  RESPONSES,
  { turns: 3, blocks: 1, condenses: true, tools: [] },
  {
    model: { provider: "mock", id: "mock", contextWindow: 1_000 },
    limits: { condenseKeeps: 0 },
    completion: "end_turn",
  },
);

/** The change, with another event. */
const seeing = (change: Change, to: (event: TaskEvent) => TaskEvent): Change =>
  withPart(change, (key) => (key === "event" ? to(change.event) : undefined));

/** The change without the events that match. */
const silencing = (change: Change, type: string): Change =>
  withPart(change, (key) =>
    key === "emit"
      ? (emitted: Parameters<Change["emit"]>[0]) => {
          if (emitted.type !== type) change.emit(emitted);
        }
      : undefined,
  );

const setControl = (change: Change, patch: Record<string, unknown>): void => {
  const { control } = change.context;
  if (control !== null) change.set({ control: { ...control, ...patch } });
};

const goOn = (change: Change): void => {
  const { control } = change.context;
  if (control === null) return;
  const { shutDown: _, ...going } = control;
  change.set({ control: going });
};

const rationalesIn = (controlled: Controlled | undefined): string =>
  (controlled?.records ?? []).flatMap(({ rationales = {} }) => Object.values(rationales)).join();
const controlOf = (event: TaskEvent): Controlled | undefined =>
  "control" in event ? event.control : undefined;
const lengthOf = (event: TaskEvent): number => rationalesIn(controlOf(event)).length;

type Judged = Extract<TaskEvent, { type: "response.judged" }>;
type Under = (
  context: TaskContext,
  subject: object,
  verdict: HookVerdict,
  control?: Controlled,
) => HookVerdict;

const inControl = (
  law: string,
  name: string,
  part: Part,
  replace: NonNullable<Fault["replace"]>,
  more: Partial<Fault> = {},
): Fault => ({ name, law, ...part, file: "task/control.ts", replace, ...more });

/** Applies what the protocol decided in another way, at a call and at a result. */
const applying =
  (apply: (change: Change, controlled: Controlled, original: (...of: unknown[]) => void) => void) =>
  ({ applyControl }: Record<string, (...of: unknown[]) => void>) => ({
    applyControl: (change: Change, controlled: Controlled | undefined) => {
      if (controlled !== undefined && applyControl !== undefined) apply(change, controlled, applyControl);
    },
  });

/** Deliberate bugs in what a task does with the decisions of its protocol, and protocols with a hole. */
export const CONTROL_FAULTS: readonly Fault[] = [
  inControl("CONTROL", "call passed without a verdict", under(CALLS), () => ({
    verdictUnder: (_: TaskContext, __: unknown, verdict: HookVerdict) => verdict,
  })),
  inControl("CONTROL", "verdict about other arguments accepted", under(CALLS), ({ verdictUnder }) => ({
    verdictUnder: (
      context: TaskContext,
      { digest: _, ...subject }: Record<string, unknown>,
      ...of: unknown[]
    ) => verdictUnder(context, subject, ...of),
  })),
  inControl("CONTROL", "calls of a controlled task without hooks", under(CALLS), ({ controlledPoints }) => ({
    controlledPoints: (input: TaskInput) =>
      controlledPoints(input).filter((point: string) => point !== "beforeTool"),
  })),
  inControl(
    "CONTROL",
    "cost of a verdict not counted",
    under(CALLS),
    applying((change, verdict, original) => {
      const { total, counters } = change.context;
      original(change, verdict);
      change.set({ total, counters });
    }),
  ),
  inControl("CONTROL", "result settled without a verdict", under(RESULTS), () => ({
    verdictUnder: (_: TaskContext, __: unknown, verdict: HookVerdict) => verdict,
  })),
  inControl("CONTROL", "results of a controlled task without hooks", under(RESULTS), () => ({
    controlledPoints: () => [],
  })),
  {
    name: "result of a controlled call settled before its judge",
    law: "HOOK",
    ...under(RESULTS),
    ...SETTLED_UNSEEN,
  },
  {
    name: "arguments of a person started with the verdict about the model's",
    law: "HOOK",
    ...under(CALLS, { amends: true }),
    file: "task/hook-points.ts",
    replace: ({ isHooked }) => ({
      isHooked: (context: TaskContext, call: { readonly hooked?: unknown }) =>
        call.hooked !== undefined || isHooked(context, call),
    }),
  },
  {
    name: "call of the trusted model started with the verdict about the call before",
    law: "HOOK",
    ...under(CALLS),
    ...faultyStep("hooks.amended", (step) => (call, event) => {
      const { preview: _, ...rewritten } = step(call, event);
      return { ...rewritten, phase: "decided", review: call.review };
    }),
  },
  {
    name: "call of the trusted model passes as one of the untrusted",
    law: "CONTROL",
    ...under(CALLS),
    ...faultyStep("hooks.amended", withoutAuthor),
  },
  {
    name: "call of the trusted model runs with the tool of the one before",
    law: "CONTROL",
    ...under(CALLS, { tools: ["command", "write"] }),
    ...faultyStep("hooks.amended", (step) => (call, event) => ({
      ...step(call, event),
      name: call.name,
      ask: call.ask,
    })),
  },
  {
    name: "author of a call lost when it is reviewed",
    law: "CONTROL",
    ...under(CALLS),
    ...faultyStep("reviewed", withoutAuthor),
  },
  {
    name: "call of the trusted model's response passes as one of the untrusted",
    law: "CONTROL",
    ...under(RESPONSES),
    file: "task/stream.ts",
    replace: ({ planCall }) => ({
      planCall: (change: Change) => {
        planCall(change);
        const { turn } = change.context;
        change.set({ turn: { ...turn, calls: turn.calls.map(({ author: _, ...call }) => call) } });
      },
    }),
  },
  {
    name: "call of the untrusted model passes as one of the trusted",
    law: "CONTROL",
    ...under(RESPONSES),
    file: "task/stream.ts",
    replace: ({ planCall }) => ({
      planCall: (change: Change) => {
        planCall(change);
        const { turn } = change.context;
        change.set({ turn: { ...turn, calls: turn.calls.map((call) => ({ ...call, author: "trusted" })) } });
      },
    }),
  },
  {
    name: "response shown before its verdict",
    law: "CONTROL",
    ...under(RESPONSES),
    provide: {
      guards: {
        isNextBlock: ({ context, event }) =>
          "index" in event &&
          "requestId" in event &&
          event.requestId === context.request &&
          event.index === context.turn.blocks.length,
      },
    },
  },
  {
    name: "withheld response followed",
    law: "CONTROL",
    ...under(RESPONSES),
    provide: { guards: { isWithheld: () => false } },
  },
  {
    name: "response judged a second time",
    law: "CONTROL",
    ...under(RESPONSES),
    provide: {
      guards: {
        isJudgement: ({ context, event }) => "requestId" in event && event.requestId === context.request,
      },
    },
  },
  {
    name: "response follows by the verdict about the one before",
    law: "CONTROL",
    ...under(RESPONSES),
    file: "task/turn.ts",
    replace: ({ endTurn }) => ({
      endTurn: (change: Change) => {
        const { judged } = change.context.turn;
        endTurn(change);
        if (judged !== undefined) change.set({ turn: { ...change.context.turn, judged } });
      },
    }),
  },
  {
    name: "verdict about an earlier response accepted",
    law: "L10",
    ...under(RESPONSES),
    provide: {
      guards: {
        isJudgement: ({ context, event }) =>
          event.type === "response.judged" && context.turn.judged === undefined,
      },
    },
  },
  inControl("CONTROL", "response changed without a word", under(EDITED), ({ acceptResponse }) => ({
    acceptResponse: (change: Change) =>
      acceptResponse(
        seeing(change, (event) => {
          const { told: _, ...silent } = event as Judged;
          return silent;
        }),
      ),
  })),
  inControl("CONTROL", "summary without a verdict replaces the conversation", SUMMARIZED, () => ({
    isSummaryWithheld: () => false,
  })),
  inControl("CONTROL", "withheld summary replaces the conversation", SUMMARIZED, () => ({
    isSummaryWithheld: (_: TaskContext, { control }: { readonly control?: Controlled }) =>
      control === undefined,
  })),
  {
    name: "request sent after the verdict about a summary ended the task",
    law: "CONTROL",
    ...SUMMARIZED,
    provide: { guards: { endsWithSummary: () => false } },
  },
  inControl(
    "CONTROL",
    "output of a command in the background sent without a verdict",
    under(RESULTS, { turns: 2, tools: ["command"] }),
    ({ backgroundEnded }) => ({
      backgroundEndedUnread: (command: string) => backgroundEnded(command, "output", 0),
    }),
    { file: "conversation/notices.ts" },
  ),
  {
    name: "request sent after the protocol ended the task",
    law: "CONTROL",
    ...under(RESPONSES),
    provide: { guards: { isShutDown: () => false } },
  },
  inControl(
    "CONTROL",
    "other call of a response goes on after the protocol ended the task",
    under(CALLS, { calls: 2, blocks: 2 }),
    () => ({ skipAfterShutDown: () => {} }),
  ),
  inControl(
    "CONTROL",
    "call runs that the protocol passed and ended the task with",
    under(CALLS),
    ({ verdictUnder }) => ({
      verdictUnder: ((context, subject, verdict, control) => {
        const { shutDown: _, ...going } = control ?? { records: [], state: null };
        return verdictUnder(context, subject, verdict, control && going);
      }) satisfies Under,
    }),
  ),
  inControl(
    "CONTROL",
    "end of the task by its protocol ignored",
    under(CALLS),
    applying((change, { shutDown: _, ...going }, apply) => apply(change, going)),
  ),
  inControl(
    "CONTROL",
    "end of the task by its protocol taken back by a retry",
    under(RESPONSES),
    () => ({}),
    {
      file: "task/request.ts",
      replace: ({ retryManually }) => ({
        retryManually: (change: Change) => {
          goOn(change);
          retryManually(change);
        },
      }),
    },
  ),
  inControl(
    "CONTROL",
    "command runs in the background after the protocol ended the task",
    under(ENDING, { turns: 2, tools: ["command"] }),
    async () => {
      const { postAsk } = await import("../../machines/task/asks.ts");
      return {
        askAboutShutDown: (change: Change) =>
          postAsk(change, "api_req_failed", "ended", { errorCode: "shut_down" }),
      };
    },
  ),
  inControl("CONTROL", "no of a person who audits does not end the task", under(CALLS), () => ({
    endByAudit: () => {},
  })),
  inControl(
    "CONTROL",
    "state of the protocol not changed by its verdict",
    under(CALLS),
    applying((change, controlled, apply) =>
      apply(change, { ...controlled, state: change.context.control?.state }),
    ),
  ),
  {
    name: "state of the protocol begun anew by a request",
    law: "CONTROL",
    ...under(RESPONSES),
    file: "task/request.ts",
    replace: ({ openRequest }) => ({
      openRequest: (change: Change) => {
        setControl(change, { state: RESPONSES.state });
        openRequest(change);
      },
    }),
  },
  inControl(
    "CONTROL",
    "verdict applied without its record",
    under(CALLS),
    applying((change, controlled, apply) => apply(silencing(change, "control.judged"), controlled)),
  ),
  inControl(
    "CONTROL",
    "denial of a result applied without its record",
    under(RESULTS),
    applying((change, controlled, apply) => {
      const [record] = controlled.records;
      apply(record?.verdict === "deny" ? silencing(change, "control.judged") : change, controlled);
    }),
  ),
  {
    name: "rationale in the reason of a denial",
    law: "CONTROL",
    ...under(RESULTS),
    file: "task/hooks.ts",
    replace: ({ applyResultHooks }) => ({
      applyResultHooks: (change: Change) =>
        applyResultHooks(
          seeing(change, (event) =>
            event.type === "result.hooked" && event.verdict.kind === "deny"
              ? { ...event, verdict: { ...event.verdict, reason: rationalesIn(event.control) } }
              : event,
          ),
        ),
    }),
  },
  inControl(
    "CONTROL",
    "rationale told to the model with a withheld response",
    under(RESPONSES),
    ({ withholdResponse }) => ({
      withholdResponse: (change: Change) =>
        withholdResponse(
          seeing(change, (event) => {
            const judged = event as Judged;
            return { ...judged, withheld: `${judged.withheld} ${rationalesIn(judged.control)}` };
          }),
        ),
    }),
  ),
  inControl(
    "CONTROL",
    "rationale kept as the reason why the task ends",
    under(CALLS),
    applying((change, controlled, apply) => {
      apply(change, controlled);
      if (controlled.shutDown !== undefined) setControl(change, { shutDown: rationalesIn(controlled) });
    }),
  ),
  {
    name: "rationale decides whether a response is withheld",
    law: "NI",
    graphOnly: true,
    ...under(RESPONSES),
    provide: {
      guards: {
        isWithheld: ({ event }) =>
          event.type === "response.judged" &&
          event.requestId > 0 &&
          (event.withheld !== undefined || lengthOf(event) > 30),
      },
    },
  },
  inControl(
    "NI",
    "rationale decides whether a call runs",
    under(CALLS),
    ({ verdictUnder }) => ({
      verdictUnder: ((context, subject, verdict, control) =>
        rationalesIn(control).length > 30
          ? { kind: "deny", hook: "control", reason: "it was not approved." }
          : verdictUnder(context, subject, verdict, control)) satisfies Under,
    }),
    { graphOnly: true },
  ),
  inControl(
    "NI",
    "length of a rationale counted as tokens of the context",
    under(CALLS),
    applying((change, controlled, apply) => {
      apply(change, controlled);
      change.set({ contextTokens: change.context.contextTokens + rationalesIn(controlled).length });
    }),
    { graphOnly: true },
  ),
  inControl(
    "NI",
    "record of a long rationale shown to the user",
    under(RESULTS),
    applying((change, controlled, apply) => {
      apply(change, controlled);
      if (rationalesIn(controlled).length > 30) change.append({ type: "say", say: "hook", text: "judged" });
    }),
    { graphOnly: true },
  ),
  {
    name: "protocol missing from every commit",
    law: "L11",
    ...under(CALLS),
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ control: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    }),
  },
  inControl("L11", "protocol missing from the first commit of a task", under(CALLS, { crashes: 1 }), () => ({
    controlFact: () => ({}),
  })),
  {
    name: "protocol begun anew when its task is reopened",
    law: "L11",
    ...under(CALLS, { crashes: 1 }),
    file: "task/lifecycle.ts",
    replace: ({ initialContext }) => ({
      initialContext: (given: { readonly input: TaskInput }) => {
        const context = initialContext(given);
        return { ...context, control: context.control && { ...context.control, state: CALLS.state } };
      },
    }),
  },
  {
    name: "end of the task by its protocol forgotten when it is reopened",
    law: "CONTROL",
    ...under(RESPONSES, { crashes: 1 }),
    file: "task/lifecycle.ts",
    replace: ({ initialContext }) => ({
      initialContext: (given: { readonly input: TaskInput }) => {
        const context = initialContext(given);
        if (context.control === null) return context;
        const { shutDown: _, ...control } = context.control;
        return { ...context, control };
      },
    }),
  },
  {
    name: "permissions changed while the protocol judges a call",
    law: "GATE",
    ...under(CALLS, { permits: true }),
    file: "task/permissions.ts",
    replace: () => ({ isStale: () => false }),
  },
  {
    name: "protocol that counts no audit",
    law: "CONTROL",
    graphOnly: true,
    ...under(UNCOUNTED, { turns: 2 }),
  },
  {
    name: "protocol that takes audits back",
    law: "CONTROL",
    graphOnly: true,
    ...under(REFILLED, { turns: 3 }),
  },
];
