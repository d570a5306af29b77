export {
  combine,
  type Grounded,
  isQuestion,
  OPINION_LEVELS,
  type Opinion,
  opinionOf,
  PLAN,
} from "./opinion.ts";
