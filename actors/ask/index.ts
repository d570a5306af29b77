export { type AskOptions, askActor, type Expiry } from "./ask.ts";
export {
  type AnswerRefusal,
  type AnswerResult,
  type AskBoard,
  type AskBoardOptions,
  type AskHandle,
  createAskBoard,
} from "./board.ts";
