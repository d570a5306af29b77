export { type AmendedArguments, askActor, type Expiry, lateAnswer } from "./ask.ts";
export {
  type AnswerRefusal,
  type AnswerResult,
  type AskHandle,
  createOpenAsks,
  type OpenAsks,
} from "./open-asks.ts";
