import js from '@eslint/js'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['out', 'dist', 'node_modules', 'test-results', 'test/fixtures'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.mts', '**/*.tsx'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: [
          './tsconfig.node.json',
          './tsconfig.preload.json',
          './tsconfig.web.json',
          './tsconfig.e2e.json'
        ],
        tsconfigRootDir: import.meta.dirname
      }
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: 'error'
    }
  },
  {
    files: ['*.config.ts', '*.config.mts'],
    rules: { 'no-restricted-exports': 'off' }
  },
  {
    files: ['src-main/**/*.ts', 'src-renderer/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...['Literal[value', 'TemplateElement[value.raw'].map((what) => ({
          selector: `${what}=/[\u3400-\u9fff][,;?!]/]`,
          message: 'Chinese sentences have full-width marks: ，；？！'
        }))
      ]
    }
  },
  { files: ['src-renderer/**/*.tsx'], extends: [reactHooks.configs.flat.recommended] },
  {
    files: [
      'scripts/**/*.mjs',
      'scripts/**/*.js',
      'resources/**/*.mjs',
      'resources/**/*.cjs',
      '*.mjs'
    ],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'Buffer',
          'URL',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'setImmediate',
          'fetch',
          'AbortController',
          'AbortSignal',
          'TextEncoder',
          'TextDecoder',
          'performance',
          'structuredClone',
          'require',
          'module',
          'queueMicrotask',
          '__dirname',
          'Response',
          'Blob'
        ].map((name) => [name, 'readonly'])
      )
    }
  }
)
