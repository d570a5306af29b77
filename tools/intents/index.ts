export {
  activeIds,
  activeIntent,
  INTENT_STATUSES,
  INTENTS_FILE,
  type Intent,
  type IntentStatus,
  isActiveIntent,
  type OpenIntents,
  type ReadIntents,
} from "./intent.ts";
export { formatScope, pathOutside, scopeRule } from "./scope.ts";
