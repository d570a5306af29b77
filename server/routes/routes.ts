import { askRoutes } from "./asks.ts";
import { breakpointRoutes } from "./breakpoints.ts";
import { explainRoutes } from "./explain.ts";
import { permissionRoutes } from "./permissions.ts";
import { queueRoutes } from "./queue.ts";
import type { Route } from "./route.ts";
import { serverRoutes } from "./server.ts";
import { streamRoutes } from "./streams.ts";
import { taskRoutes } from "./tasks.ts";

/** The routes of tasks, under `/api`. */
export const ROUTES: readonly Route[] = [
  ...serverRoutes,
  ...taskRoutes,
  ...askRoutes,
  ...queueRoutes,
  ...breakpointRoutes,
  ...explainRoutes,
  ...permissionRoutes,
  ...streamRoutes,
];
