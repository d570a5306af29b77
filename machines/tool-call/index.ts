export type {
  CallAsk,
  CallIdentity,
  CallIn,
  Decision,
  Effect,
  Feedback,
  Input,
  Outcome,
  Phase,
  Review,
  SubtaskEnd,
  ToolCall,
  ValidReview,
  Verdict,
} from "./call.ts";
export type { RecordedCall } from "./record.ts";
