import { describeLearning } from '../support/practice-learning'

describeLearning(1)
