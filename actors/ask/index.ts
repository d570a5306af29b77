export { type AskOptions, askActor, type Expiry } from "./ask.ts";
export {
  type AnswerRefusal,
  type AnswerResult,
  type AskHandle,
  createOpenAsks,
  type OpenAsks,
  type OpenAsksOptions,
} from "./open-asks.ts";
