import base from './eslint.config.mjs'
export default [...base, { files: ['**/*.ts', '**/*.tsx'], languageOptions: { parserOptions: { project: ['./tsconfig.web.json'] } } }]
