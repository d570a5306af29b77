import { replayedSchema, replaySchema } from "../../wire/http/permission-replay.ts";
import { route } from "./route.ts";

export const permissionRoutes = [
  route({
    method: "post",
    path: "/api/permissions/replay",
    name: "replayPermissions",
    summary:
      "Judges the recorded tool calls of a task or a workspace again, with another mode or more rules (docs/guide/change-permissions.md). Paths are resolved as they are now. Nothing is executed or changed.",
    body: replaySchema,
    example: { allow: ["command(npm test *)"] },
    answer: { status: 200, description: "The changes.", schema: replayedSchema },
    problems: ["TASK_UNKNOWN", "POLICY_OPAQUE"],
    run: ({ replays }, { body }) => replays.replay(body),
  }),
];
