import {
  controlReplayedSchema,
  controlReplaySchema,
  protocolsSchema,
} from "../../wire/http/control-replay.ts";
import { route } from "./route.ts";

export const controlRoutes = [
  route({
    method: "get",
    path: "/api/control/protocols",
    name: "getProtocols",
    summary: "The names of the control protocols that a recorded task can be judged by.",
    answer: { status: 200, description: "The names.", schema: protocolsSchema },
    problems: [],
    run: async ({ controlReplays }) => ({ protocols: controlReplays.protocols }),
  }),
  route({
    method: "post",
    path: "/api/control/replay",
    name: "replayControl",
    summary:
      "Judges the responses, calls and results of a recorded task by a shipped control protocol, and lists those whose verdict differs. Nothing is executed or changed.",
    body: controlReplaySchema,
    example: { taskId: "3f2a", protocol: "trusted monitoring", threshold: 0.5, audits: 1 },
    answer: { status: 200, description: "The changes.", schema: controlReplayedSchema },
    problems: ["TASK_UNKNOWN"],
    run: ({ controlReplays }, { body }) => controlReplays.replay(body),
  }),
];
