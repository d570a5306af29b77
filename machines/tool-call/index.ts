export type {
  CallAsk,
  CallIn,
  Decision,
  Effect,
  Feedback,
  Input,
  Outcome,
  Phase,
  Review,
  ToolCall,
  ValidReview,
  Verdict,
} from "./call.ts";
