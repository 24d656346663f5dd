import { fileName } from '../../state'
import {
  Copy,
  FileCode,
  GitCompare,
  Play,
  Save,
  ScalingIcon,
  Sparkles,
  WandSparkles
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Generation } from '@contract/recipes'
import { Button, Icon, Menu, Tag, type MenuEntry } from '../../ui'
import type { DialogKind } from './dialogs'
import type { RecipeActs } from './use-recipe-acts'
import type { CheckState } from './use-recipe-check'
import { isDirty, workbench, type RecipeDoc } from './workbench'

const GENERATIONS: readonly Generation[] = ['A', 'B', 'C']

/** Name and kind of the recipe, and what can be done with it. */
export function WorkbenchHeader(props: {
  doc: RecipeDoc
  state: CheckState
  acts: RecipeActs
  ask: (dialog: DialogKind) => void
}) {
  const { doc, state, acts, ask } = props
  const { t } = useTranslation('recipes')
  const dialect = state.check?.dialect
  const reef = dialect === 'reef-v2' || dialect === 'reef-unversioned'
  return (
    <header
      className="flex h-11 min-w-0 flex-none items-center gap-2 border-b border-line-1 bg-canvas px-3"
      data-testid="recipe-header"
    >
      <Icon of={FileCode} size="medium" className="t2" />
      <span className="el font-semibold" title={doc.path} data-testid="recipe-name">
        {fileName(doc.path)}
      </span>
      {isDirty(doc) ? (
        <span
          role="img"
          className="h-2 w-2 flex-none rounded-full bg-text-2"
          aria-label={t('unsaved')}
          title={t('unsaved')}
          data-testid="recipe-unsaved"
        />
      ) : null}
      {dialect === undefined ? null : <Tag>{t(`dialects.${dialect}`)}</Tag>}
      {reef ? <GenerationMenu doc={doc} found={state.check?.generation ?? null} /> : null}
      <span className="ml-auto flex flex-none items-center gap-1">
        <Button
          variant="ghost"
          icon={GitCompare}
          onClick={() => ask('compare')}
          data-testid="recipe-compare"
        >
          {t('compare')}
        </Button>
        {reef && !doc.readOnly ? <ChangeMenu ask={ask} /> : null}
        <Button
          variant={doc.readOnly ? 'default' : 'ghost'}
          icon={Copy}
          onClick={() => ask('duplicate')}
          data-testid="recipe-duplicate"
        >
          {doc.readOnly ? t('duplicateToEdit') : t('duplicate')}
        </Button>
        {doc.readOnly ? null : (
          <Button
            icon={Save}
            keys="Mod+S"
            off={acts.saveOff}
            onClick={() => acts.save.mutate()}
            data-testid="recipe-save"
          >
            {acts.save.isPending ? t('saving') : t('save')}
          </Button>
        )}
        <Button
          icon={Play}
          variant="primary"
          keys="Mod+Enter"
          off={acts.launchOff}
          onClick={acts.launch}
          data-testid="recipe-launch"
        >
          {acts.errors > 0
            ? t('launchErrors', { count: acts.errors, n: acts.errors })
            : t('launchIt')}
        </Button>
      </span>
    </header>
  )
}

/** Changes of the whole text, each reviewed before it is made. */
function ChangeMenu(props: { ask: (dialog: DialogKind) => void }) {
  const { t } = useTranslation('recipes')
  const entries: MenuEntry[] = [
    {
      kind: 'item',
      id: 'migrate',
      label: t('migrate'),
      icon: Sparkles,
      run: () => props.ask('migrate')
    },
    {
      kind: 'item',
      id: 'scale',
      label: t('scale'),
      icon: ScalingIcon,
      run: () => props.ask('scale')
    }
  ]
  return (
    <Menu
      align="end"
      trigger={
        <Button variant="ghost" icon={WandSparkles} data-testid="recipe-change">
          {t('change')}
        </Button>
      }
      entries={entries}
    />
  )
}

function GenerationMenu(props: { doc: RecipeDoc; found: Generation | null }) {
  const { doc, found } = props
  const { t } = useTranslation('recipes')
  const choose = (generation: Generation | null) => (): void =>
    workbench.getState().chooseGeneration(doc.path, generation)
  const entries: MenuEntry[] = [
    { kind: 'head', id: 'head', label: t('generation') },
    {
      kind: 'item',
      id: 'generation-auto',
      label: t('generationAuto'),
      checked: doc.generation === null,
      run: choose(null)
    },
    ...GENERATIONS.map((g): MenuEntry => ({
      kind: 'item',
      id: `generation-${g}`,
      label: t('generationShort', { g }),
      checked: doc.generation === g,
      run: choose(g)
    }))
  ]
  return (
    <Menu
      trigger={
        <Button size="small" data-testid="recipe-generation">
          {doc.generation === null
            ? t('generationFound', { g: found ?? '–' })
            : t('generationShort', { g: doc.generation })}
        </Button>
      }
      entries={entries}
    />
  )
}
