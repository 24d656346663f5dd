/** Direction of knowledge: page -> contract <- engine; the app joins them and knows no domain word. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment:
        'Two modules that need each other are one module, or hide a third. Move what both need.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }
    },
    {
      name: 'contract-knows-nobody',
      severity: 'error',
      comment: 'The contract imports zod and @orpc/contract only: both sides stand on it.',
      from: { path: '^src-main/contract/' },
      to: { pathNot: ['^src-main/contract/', '^node_modules/(zod|@orpc/contract)/'] }
    },
    {
      name: 'page-sees-only-the-contract',
      severity: 'error',
      comment:
        'The page may import one folder of src-main: the contract. Everything else is asked for over the port.',
      from: { path: '^src-renderer/' },
      to: { path: '^src-main/', pathNot: '^src-main/contract/' }
    },
    {
      name: 'engine-without-electron',
      severity: 'error',
      comment: 'The engine is plain Node: it also runs in tests and in the command line.',
      from: { path: '^src-main/(engine|cli)/' },
      to: { path: ['^node_modules/electron/', '^src-main/(app|preload)/'] }
    },
    {
      name: 'app-knows-no-domain-word',
      severity: 'error',
      comment:
        'The app starts the engine as a process and talks to it by contract; it imports nothing of it.',
      from: { path: '^src-main/app/' },
      to: { path: '^src-main/(engine|cli|preload)/' }
    },
    {
      name: 'engine-folders-by-their-front-door',
      severity: 'error',
      comment:
        "Use another engine folder's index.ts; what it does not name there is its own business.",
      from: { path: '^src-main/engine/([^/]+)/' },
      to: {
        path: '^src-main/engine/[^/]+/',
        pathNot: [
          '^src-main/engine/$1/',
          '^src-main/engine/[^/]+/index\\.ts$',
          '^src-main/engine/lib/'
        ]
      }
    },
    {
      name: 'engine-lib-knows-no-feature',
      severity: 'error',
      comment: 'lib stands below every feature.',
      from: { path: '^src-main/engine/lib/' },
      to: { path: '^src-main/engine/(?!lib/)' }
    },
    {
      name: 'ui-and-charts-below-features',
      severity: 'error',
      comment: 'The kit and the charts know no feature, so that every feature can use them.',
      from: { path: '^src-renderer/(ui|charts|theme)/' },
      to: { path: '^src-renderer/features/' }
    }
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types']
    }
  }
}
