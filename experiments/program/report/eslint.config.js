// The rules that ESLint checks in the page and in its tests. `tsc --checkJs` checks which names
// exist.

import js from "@eslint/js";

export default [
  {ignores: ["node_modules/"]},
  js.configs.recommended,
  {
    languageOptions: {ecmaVersion: 2023, sourceType: "module"},
    linterOptions: {reportUnusedDisableDirectives: "error"},
    rules: {
      "no-undef": "off",
      "array-callback-return": "error",
      "consistent-return": "error",
      "eqeqeq": ["error", "always", {null: "ignore"}],
      "no-implicit-globals": "error",
      "no-self-compare": "error",
      "no-shadow": ["error", {builtinGlobals: false, hoist: "functions", allow: ["_"]}],
      "no-unused-vars": ["error", {argsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_"}],
      "no-unused-expressions": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "prefer-const": "error",
      "prefer-template": "off",
    },
  },
];
