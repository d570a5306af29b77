export type {
  LifecycleEvent,
  LifecycleEventName,
  LifecycleEventOf,
  TokenUsage,
  ToolUsage,
} from "./events.ts";
export {
  type Lifecycle,
  type LifecycleOptions,
  lifecycleOf,
  STATUS_DELAY_MS,
  USAGE_THROTTLE_MS,
} from "./lifecycle.ts";
export type { TaskStatus } from "./status.ts";
