export { openSkills, type SkillLimits, type SkillOptions } from "./skills.ts";
export { readUserRules } from "./user-rules.ts";
