/** A plan up to its actions, complete enough to give no warning. */
export const HEAD = `# Title
- **Status:** Green
- **Plan Type:** Implementation
- **Agent:** Developer

## Rationale
\`\`\`\`text
### 1. Synthesis
### 2. Justification
### 3. Expected Outcome
### 4. State Dashboard
\`\`\`\`

## Action Plan

`;
