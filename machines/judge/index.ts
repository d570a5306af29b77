export {
  combine,
  type Grounded,
  isQuestion,
  OPINION_LEVELS,
  type Opinion,
  opinionOf,
} from "./opinion.ts";
