//! Matrix products (GEMM) on the calling thread, over strided views, by the `matrixmultiply` crate (packed and blocked as in
//! Goto and van de Geijn 2008). Sizes and strides are checked against the slices here, since the kernel works on pointers.

use matrixmultiply::sgemm;

/// A strided view of a matrix. Element `(r, c)` is `numbers[r * row_step + c * column_step]`.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub numbers: &'a [f32],
    pub rows: usize,
    pub columns: usize,
    /// The distance between the starts of two rows.
    pub row_step: usize,
    /// The distance between the starts of two columns.
    pub column_step: usize,
}

impl<'a> Matrix<'a> {
    /// A matrix stored row by row (row-major), without gaps.
    pub fn whole(numbers: &'a [f32], columns: usize) -> Self {
        Matrix {
            numbers,
            rows: numbers.len() / columns,
            columns,
            row_step: columns,
            column_step: 1,
        }
    }

    /// Returns the transposed view of the same numbers.
    pub fn transposed(self) -> Self {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_step: self.column_step,
            column_step: self.row_step,
            ..self
        }
    }

    fn is_within(&self) -> bool {
        is_within(
            self.numbers.len(),
            self.rows,
            self.columns,
            self.row_step,
            self.column_step,
        )
    }
}

/// Adds the product of `left` and `right` to `sum`, whose rows are `row_step` numbers apart.
///
/// # Errors
/// When the sizes do not fit together; nothing is changed then.
pub(crate) fn add_product(sum: &mut [f32], row_step: usize, left: Matrix<'_>, right: Matrix<'_>) -> Result<(), String> {
    let (rows, columns, inner) = (left.rows, right.columns, left.columns);
    let fits = inner == right.rows
        && columns <= row_step
        && left.is_within()
        && right.is_within()
        && is_within(sum.len(), rows, columns, row_step, 1);
    if !fits {
        return Err("the sizes of the matrices do not match".to_owned());
    }
    let step = |step: usize| isize::try_from(step).unwrap_or(isize::MAX);
    // SAFETY: every index that follows from sizes and strides was checked to be within its slice, the rows of `sum` do
    // not overlap, and `sum` is borrowed mutably.
    #[allow(unsafe_code)]
    unsafe {
        sgemm(
            rows,
            inner,
            columns,
            1.0,
            left.numbers.as_ptr(),
            step(left.row_step),
            step(left.column_step),
            right.numbers.as_ptr(),
            step(right.row_step),
            step(right.column_step),
            1.0,
            sum.as_mut_ptr(),
            step(row_step),
            1,
        );
    }
    Ok(())
}

/// Tells whether the last element of a matrix lies within `len` numbers.
fn is_within(len: usize, rows: usize, columns: usize, row_step: usize, column_step: usize) -> bool {
    let (Some(last_row), Some(last_column)) = (rows.checked_sub(1), columns.checked_sub(1)) else {
        return true;
    };
    let last = last_row
        .checked_mul(row_step)
        .zip(last_column.checked_mul(column_step))
        .and_then(|(row, column)| row.checked_add(column));
    last.is_some_and(|last| last < len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_added_to_strided_rows() {
        let left = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let right = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let mut sum = vec![10.0; 5];
        add_product(&mut sum, 3, Matrix::whole(&left, 3), Matrix::whole(&right, 2)).unwrap();
        // The gap between the rows is unchanged.
        assert_eq!(sum, [14.0, 15.0, 10.0, 20.0, 21.0]);
        let mut sum = vec![0.0; 4];
        let wide = Matrix::whole(&left, 3);
        add_product(&mut sum, 2, wide, wide.transposed()).unwrap();
        assert_eq!(sum, [14.0, 32.0, 32.0, 77.0]);
    }

    #[test]
    fn matrices_that_do_not_fit_are_refused() {
        let numbers = [0.0; 6];
        let (wide, high) = (Matrix::whole(&numbers, 3), Matrix::whole(&numbers, 2));
        assert!(add_product(&mut [0.0; 4], 2, wide, wide).is_err());
        assert!(add_product(&mut [0.0; 3], 2, wide, high).is_err());
        assert!(add_product(&mut [0.0; 4], 1, wide, high).is_err());
        let beyond = Matrix { row_step: 4, ..wide };
        assert!(add_product(&mut [0.0; 4], 2, beyond, high).is_err());
        let overflowing = Matrix {
            row_step: usize::MAX,
            rows: 3,
            ..wide
        };
        assert!(add_product(&mut [0.0; 6], 2, overflowing, high).is_err());
    }
}
