import type { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import { verificationCountsSchema, verificationSchema } from "../../wire/http/verification.ts";
import { ServerError } from "../error.ts";
import type { ServedVerification, Services } from "../services.ts";
import { formatEvent } from "../stream/event-stream.ts";
import { route } from "./route.ts";
import { EVENTS, startStream } from "./streams.ts";

export const verificationRoutes = [
  route({
    method: "get",
    path: "/api/verification",
    name: "getVerification",
    summary:
      "The verification of the machine that the server shows: its laws, states, transitions and racing events.",
    answer: { status: 200, description: "The verification, or null.", schema: verificationSchema },
    problems: [],
    run: async ({ verification }) => ({ verification: verification?.result ?? null }),
  }),
  route({
    method: "get",
    path: "/api/verification/counts",
    name: "watchCounts",
    summary:
      "How often the recorded tasks took each transition of the verification, as server-sent events: now, and after changes of tasks.",
    answer: {
      status: 200,
      description: "The data of each event has the counts of all tasks.",
      schema: verificationCountsSchema,
      type: "text/event-stream",
    },
    problems: ["VERIFICATION_UNKNOWN", "STREAMS_FULL", "SERVER_CLOSED"],
    async run(services, { connection }) {
      const { verification } = services;
      if (verification === undefined)
        throw new ServerError(
          "VERIFICATION_UNKNOWN",
          "Expected a server that shows a verification, and this one shows none. Run signalbox verify --page.",
        );
      return startStream(services, connection, EVENTS, (signal) =>
        countTexts(verification, services, signal),
      );
    },
  }),
];

/** The counts, now and after each `listMs` in which files of tasks changed. */
async function* countTexts(
  verification: ServedVerification,
  { files, clock, bounds }: Pick<Services, "files" | "clock" | "bounds">,
  signal: WakeSignal,
): AsyncGenerator<string, void> {
  const changed = new Set<string>();
  let cancelTimer: (() => void) | undefined;
  // Before the tasks are counted: no change is missed.
  const unwatch = files.onChange((taskId) => {
    changed.add(taskId);
    cancelTimer ??= clock.after(bounds.listMs, () => {
      cancelTimer = undefined;
      signal.wake();
    });
  });
  try {
    yield formatEvent(JSON.stringify(await verification.count()));
    while (!signal.isAborted) {
      const ids = [...changed];
      changed.clear();
      if (ids.length > 0) yield formatEvent(JSON.stringify(await verification.count(ids)));
      yield "";
      await signal.wait();
    }
  } finally {
    unwatch();
    cancelTimer?.();
  }
}
