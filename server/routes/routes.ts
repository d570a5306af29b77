import { askRoutes } from "./asks.ts";
import { breakpointRoutes } from "./breakpoints.ts";
import { checkpointRoutes } from "./checkpoints.ts";
import { controlRoutes } from "./control.ts";
import { explainRoutes } from "./explain.ts";
import { permissionRoutes } from "./permissions.ts";
import { queueRoutes } from "./queue.ts";
import type { Route } from "./route.ts";
import { serverRoutes } from "./server.ts";
import { streamRoutes } from "./streams.ts";
import { suiteRoutes } from "./suite.ts";
import { taskRoutes } from "./tasks.ts";
import { verificationRoutes } from "./verification.ts";
import { wakeUpRoutes } from "./wake-ups.ts";

/** The routes of tasks, under `/api`. */
export const ROUTES: readonly Route[] = [
  ...serverRoutes,
  ...suiteRoutes,
  ...verificationRoutes,
  ...taskRoutes,
  ...askRoutes,
  ...queueRoutes,
  ...wakeUpRoutes,
  ...breakpointRoutes,
  ...checkpointRoutes,
  ...explainRoutes,
  ...permissionRoutes,
  ...controlRoutes,
  ...streamRoutes,
];
